/** Characters that a reader cannot see, or that change the order of what they see, except line ends and tabs. */
const unseen = /[\p{Cc}\p{Zl}\p{Zp}\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** A text in which each invisible character is replaced by its name. @param {string} text */
export function visible(text) {
  return text.replace(unseen, (character) =>
    character === "\n" || character === "\t" ? character : `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
}

/**
 * The arguments of a call, as a table that can be edited. All values are shown as text.
 */
export class Arguments {
  element = document.createElement("table");
  /** The arguments as they arrived. If nobody edits them, exactly this text is approved. */
  #text = "";
  /** @type {Record<string, unknown>} */
  #values = {};
  /** @type {Map<string, HTMLTextAreaElement | HTMLInputElement>} */
  #fields = new Map();
  /** The first value of each field: a textarea changes the line ends of its text. @type {Map<Element, string>} */
  #before = new Map();

  /** Without arguments there is no table. */
  get isEmpty() {
    return Object.keys(this.#values).length === 0;
  }

  get isEdited() {
    return this.#fields.size > 0;
  }

  /** @param {string} text a JSON object */
  show(text) {
    if (text === this.#text) {
      return; // keeps an edit in progress
    }
    this.#text = text;
    this.#values = JSON.parse(text);
    this.#fields.clear();
    this.#fill((_, value) => shown(value));
  }

  /** Turns editing on or off. @param {boolean} is */
  edit(is) {
    this.#fields.clear();
    this.#fill(is ? (name, value) => this.#field(name, value) : (_, value) => shown(value));
    [...this.#fields.values()][0]?.focus();
  }

  /**
   * The edited arguments as JSON; undefined if they are unchanged. If a value is invalid, it throws, and
   * puts the focus on the field.
   * @returns {string | undefined}
   */
  read() {
    const values = Object.fromEntries(Object.entries(this.#values).map(([name, value]) => {
      const field = this.#fields.get(name);
      const isSame = field === undefined || (field.type !== "checkbox" && field.value === this.#before.get(field));
      return [name, isSame ? value : valueOf(field, name, value)];
    }));
    return JSON.stringify(values) === JSON.stringify(this.#values) ? undefined : JSON.stringify(values);
  }

  /** @param {(name: string, value: unknown) => Element} cell */
  #fill(cell) {
    this.element.className = "arguments";
    this.element.replaceChildren(...Object.entries(this.#values).map(([name, value]) => {
      const row = document.createElement("tr");
      const head = document.createElement("th");
      const data = document.createElement("td");
      [head.scope, head.textContent] = ["row", visible(name)];
      data.append(cell(name, value));
      row.append(head, data);
      return row;
    }));
  }

  /** @param {string} name @param {unknown} value */
  #field(name, value) {
    const field = typeof value === "boolean" ? document.createElement("input") : document.createElement("textarea");
    if (field instanceof HTMLInputElement) {
      [field.type, field.checked] = ["checkbox", value === true];
    } else {
      [field.rows, field.dir, field.value] = [1, "auto", typeof value === "string" ? value : JSON.stringify(value, null, 2)];
    }
    field.ariaLabel = visible(name);
    field.addEventListener("input", () => field.setCustomValidity(""));
    this.#fields.set(name, field);
    this.#before.set(field, field.value);
    return field;
  }
}

/** @param {unknown} value */
function shown(value) {
  const element = document.createElement(typeof value === "string" ? "span" : "code");
  element.dir = "auto";
  element.textContent = typeof value === "string" ? visible(value) || "(empty)" : visible(JSON.stringify(value, null, 2));
  return element;
}

/**
 * The value of a field, of the same kind as before: a text as it is, anything else as JSON.
 * @param {HTMLTextAreaElement | HTMLInputElement} field @param {string} name @param {unknown} before
 */
function valueOf(field, name, before) {
  if (field instanceof HTMLInputElement) {
    return field.checked;
  }
  if (typeof before === "string") {
    return field.value;
  }
  try {
    return JSON.parse(field.value);
  } catch {
    const kind = typeof before === "number" ? "a number" : "JSON";
    field.setCustomValidity(`This is not ${kind}.`);
    field.reportValidity();
    throw new Error(`${name} is not ${kind}`);
  }
}
