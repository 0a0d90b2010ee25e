// A page whose agent may pay money back, with a tool on the operator's server, and show a receipt, with
// a tool of this page. Each call waits for the user's approval.
import { ChatSDK } from "/dist/chatsdk.mjs";

const byId = (id) => document.getElementById(id);
const login = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };
const accessToken = async () => {
  const response = await fetch("/demo/token", login);
  if (!response.ok) throw new Error(`/demo/token answered ${response.status}`);
  return (await response.json()).access_token;
};

const receipt = { order: { type: "string" }, amount: { type: "number" } };
const sdk = new ChatSDK({
  baseUrl: location.origin, projectId: "demo", accessToken,
  tools: {
    show_receipt: {
      description: "Shows the receipt of a refund in the page.", // the definition in agents.yaml takes precedence
      parameters: { type: "object", properties: receipt, required: ["order", "amount"] },
      run: ({ order, amount }) => {
        add(byId("receipts"), "li", `${amount.toFixed(2)} back for order ${order}`);
        return "The receipt is shown.";
      },
    },
  },
});
const chat = sdk.createChat();

byId("form").addEventListener("submit", (event) => {
  event.preventDefault();
  const field = event.target.elements.text;
  add(byId("log"), "p", field.value).className = "question";
  void ask(field.value);
  field.value = "";
});

/** Sends a message, and shows its answer and the calls in it as they arrive. */
async function ask(text) {
  const log = byId("log");
  log.ariaBusy = "true"; // a screen reader waits for the whole answer
  let answer = add(log, "p", "");
  const cards = new Map();
  await sdk.sendMessageStream(text, {
    chatId: (await chat).chat_id,
    onChunk: (chunk) => answer.append(chunk),
    onToolCall: (call) => {
      if (!cards.has(call.id)) {
        cards.set(call.id, add(log, "section", ""));
        answer = add(log, "p", "");
      }
      show(cards.get(call.id), call);
      log.ariaBusy = String(call.status !== "awaiting"); // it reads a waiting card at once
    },
    onError: (error) => answer.append(error.message),
  });
  log.ariaBusy = "false";
}

/** Shows the current state of a call. All of it is shown as text, not as HTML. */
function show(card, { id, description, arguments: args, status, result, error, reason }) {
  card.className = "call";
  card.dataset.status = status;
  card.replaceChildren();
  add(card, "p", description);
  const table = add(card, "table", "");
  for (const [name, value] of Object.entries(JSON.parse(args))) {
    const row = table.insertRow();
    add(row, "th", name);
    add(row, "td", typeof value === "string" ? value : JSON.stringify(value));
  }
  if (status === "awaiting") {
    add(card, "button", "Approve").onclick = () => decide(card, sdk.approveToolCall(id));
    add(card, "button", "Deny").onclick = () => decide(card, sdk.denyToolCall(id));
  } else {
    add(card, "p", [status, result ?? error ?? reason].filter(Boolean).join(": "));
  }
}

/** Shows the outcome of a decision. If somebody else decided first, the error says so. */
async function decide(card, decision) {
  card.querySelectorAll("button").forEach((button) => (button.disabled = true));
  await decision.catch((error) => add(card, "p", error.message));
}

function add(parent, name, text) {
  const element = document.createElement(name);
  element.textContent = text;
  parent.append(element);
  return element;
}
