package english_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/builtin/memory/eval"
	"github.com/chatsdk/chatsdk/service/internal/english"
)

func TestOtherLanguagesAreNoticed(t *testing.T) {
	t.Parallel()
	for language, texts := range map[string][]string{
		"German": {"Ich wohne in Berlin.", "Ich bin Vegetarier und trinke keinen Kaffee", "Mein Hund heißt Rex", "In Berlin ist es kalt",
			"wir haben zwei Kinder", "Ich arbeite als Krankenschwester in einer Klinik", "Antworte mir bitte immer auf Deutsch"},
		"French": {"J'habite à Paris", "Je suis végétarien et je n'aime pas le café", "Mon chien s'appelle Rex", "Je travaille comme infirmière",
			"Réponds-moi toujours en français, s'il te plaît", "J’ai deux enfants"},
		"Spanish": {"Vivo en Madrid", "Soy vegetariano y no me gusta el café", "Mi perro se llama Rex", "Trabajo como enfermera en un hospital",
			"Tengo dos hijos", "Estoy aprendiendo a tocar la guitarra"},
		"Italian": {"Vivo a Roma con la mia famiglia", "Sono vegetariano e non mi piace il caffè", "Il mio cane si chiama Rex",
			"Lavoro come infermiera",
			"Ho due figli e un cane", "Sto imparando a suonare la chitarra"},
		"Portuguese": {"Eu moro em Lisboa", "Sou vegetariano e não gosto de café", "Meu cachorro se chama Rex",
			"Trabalho como enfermeira em um hospital",
			"Tenho dois filhos", "Estou aprendendo a tocar violão"},
		"Dutch": {"Ik woon in Utrecht", "Ik ben vegetariër en ik drink geen koffie", "Mijn hond heet Rex",
			"Ik werk als verpleegkundige in een ziekenhuis",
			"We hebben twee kinderen"},
		"Polish": {"Mieszkam w Krakowie", "Jestem wegetarianinem i nie piję kawy", "Mój pies wabi się Rex", "Pracuję jako pielęgniarka",
			"Mam psa i kota"},
		"Turkish": {"Ankara'da yaşıyorum", "Ben vejetaryenim ve kahve içmiyorum", "Köpeğimin adı Rex", "Bir hastanede hemşire olarak çalışıyorum",
			"Benim iki çocuğum var"},
		"Chinese": {"我住在柏林", "我是素食主义者，不喝咖啡", "我住在Berlin"}, "Japanese": {"私は東京に住んでいます", "コーヒーは飲みません"},
		"Korean": {"저는 서울에 살아요"}, "Russian": {"Я живу в Москве", "Мою собаку зовут Rex"}, "Arabic": {"أعيش في القاهرة", "أنا نباتي"},
		"Greek": {"Μένω στην Αθήνα"}, "Hebrew": {"אני גר בתל אביב"}, "Hindi": {"मैं दिल्ली में रहता हूँ"},
	} {
		for _, text := range texts {
			require.False(t, english.Is(text), "%s: %s", language, text)
		}
	}
}

func TestEnglishIsRecognised(t *testing.T) {
	t.Parallel()
	for name, texts := range map[string][]string{
		"nothing":   {"", " ", "?!", "😀", "42"},
		"few words": {"vegan recipes", "Berlin weather tomorrow", "thx", "Los Angeles Lakers tickets", "hey"},
		"typos":     {"i lvie in berlin adn i dont eat meet", "me adn my wief hav too kids", "im form spain"},
		"names": {"I live in São Paulo", "My name is 李明", "Leonardo da Vinci museum", "flights to San Juan de los Lagos",
			"Ayşe loves tea", "My son José"},
		"quotes":         {"What does 'ich bin müde' mean?", "How do I say 你好 in English?", "I'm learning to say je ne sais quoi"},
		"borrowed words": {"crème brûlée at a café", "my fiancée is naïve", "a déjà vu", "crème brûlée café recipe"},
		"code": {"SELECT de FROM la WHERE en = 1", "for i in range(10): print(i)", "def main(args): return None",
			"git commit -am 'fix'"},
		"words of other languages too": {"was it a man in an hour?", "die hard", "He is so on me, no war", "I am in"},
		"names of languages":           {"I speak German, French and Español"},
	} {
		for _, text := range texts {
			require.True(t, english.Is(text), "%s: %s", name, text)
		}
	}
}

// All public messages are English.
func TestPublicMessagesAreEnglish(t *testing.T) {
	t.Parallel()
	all, err := eval.Messages("../memory")
	require.NoError(t, err)
	require.Greater(t, len(all), 200)
	wrong := 0
	for _, m := range all {
		if !english.Is(m.Text) {
			wrong++
			t.Log(m.ID, m.Text)
		}
	}
	require.LessOrEqual(t, 100*wrong, len(all))
}
