import { explain } from "./errors.js";
import { byId, part, write } from "./page.js";

/** @typedef {import("../../dist/chatsdk.d.ts").MemorySettings} Settings */

const form = byId("settings-form");

/** The memory settings of an agent. */
export class SettingsForm {
  #page;
  #agent = "";
  /** The service's settings, as far as they are known. @type {Settings | undefined} */
  #known;

  /** @param {import("./page.js").Page} page */
  constructor(page) {
    this.#page = page;
    form.addEventListener("submit", (/** @type {Event} */ event) => {
      event.preventDefault();
      void this.#save();
    });
    form.addEventListener("reset", (/** @type {Event} */ event) => {
      event.preventDefault();
      this.#discard();
    });
  }

  /** Shows the service's settings, except in fields that the user has changed. @param {string} agent @param {Settings} settings */
  show(agent, settings) {
    const isAnother = agent !== this.#agent;
    const [known, typed] = [this.#known, read()];
    this.#agent = agent;
    this.#known = settings;
    for (const name of /** @type {(keyof Settings)[]} */ (Object.keys(fields))) {
      if (isAnother || known === undefined || same(typed[name], known[name])) {
        fields[name].set(settings[name]);
      }
    }
    if (isAnother) {
      this.#complain({});
    }
  }

  #discard() {
    const settings = this.#known;
    this.#known = undefined;
    this.#complain({});
    if (settings !== undefined) {
      this.show(this.#agent, settings);
    }
  }

  async #save() {
    const [known, typed] = [this.#known, read()];
    if (known === undefined) {
      return;
    }
    this.#complain({});
    if (!form.elements.max_memories.checkValidity()) {
      this.#complain({ max_memories: "Enter a whole number from 1 to 1000. Nothing was saved." });
      return;
    }
    await this.change(this.#agent, {
      memoryEnabled: unlessSame(typed.memory_enabled, known.memory_enabled),
      autoApprove: unlessSame(typed.auto_approve, known.auto_approve),
      maxMemories: unlessSame(typed.max_memories, known.max_memories),
      memoryTypes: unlessSame(typed.memory_types, known.memory_types),
    }, "Settings saved");
  }

  /**
   * Changes some of the settings.
   * @param {string} agent @param {import("../../dist/chatsdk.d.ts").MemorySettingsOptions} changes @param {string} outcome is shown.
   */
  async change(agent, changes, outcome) {
    try {
      const { settings } = await this.#page.sdk.updateMemorySettings(agent, changes);
      if (agent === this.#agent) {
        this.#known = undefined;
        this.show(agent, settings);
      }
      this.#page.done(outcome);
    } catch (/** @type {any} */ error) {
      this.#refuse(error);
    }
    this.#page.changed();
  }

  /** Shows each error at its field, and errors without a field at the end. @param {any} error */
  #refuse(error) {
    const names = (error.invalidFields ?? []).filter((/** @type {string} */ name) => name in fields);
    if (byId("settings").hidden) {
      this.#page.failed(error, "The settings were not changed.");
    } else if (names.length > 0) {
      this.#complain(Object.fromEntries(names.map((/** @type {string} */ name) => [name, `${error.message}. Nothing was saved.`])));
    } else {
      const { text, details } = explain(error);
      this.#complain({ failure: `Nothing was saved. ${text} (${details})` });
    }
  }

  /** Shows exactly these errors, and moves the focus to the first. @param {Record<string, string>} complaints */
  #complain(complaints) {
    write(part(form, "failure"), complaints["failure"] ?? "");
    let first = true;
    for (const setting of form.querySelectorAll("[data-field]")) {
      const text = complaints[setting.dataset.field] ?? "";
      write(part(setting, "error"), text);
      for (const input of setting.querySelectorAll("input")) {
        input.ariaInvalid = String(text !== "");
        if (text !== "" && first) {
          first = false;
          input.focus();
        }
      }
    }
  }
}

/** How to read and set each setting in the form. @type {Record<keyof Settings, {get(): any, set(value: any): void}>} */
const fields = {
  memory_enabled: flag("memory_enabled"),
  auto_approve: flag("auto_approve"),
  max_memories: {
    get: () => form.elements.max_memories.valueAsNumber,
    set: (most) => (form.elements.max_memories.value = String(most)),
  },
  memory_types: {
    get: () => [...form.elements.memory_types].filter(({ checked }) => checked).map(({ value }) => value),
    set: (types) => form.elements.memory_types.forEach((/** @type {any} */ box) => (box.checked = types.includes(box.value))),
  },
};

/** @param {string} name */
function flag(name) {
  return { get: () => form.elements[name].checked, set: (/** @type {boolean} */ value) => (form.elements[name].checked = value) };
}

/** @returns {Settings} what is typed */
function read() {
  return /** @type {any} */ (Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.get()])));
}

/** @param {any} a @param {any} b lists are the same in any order. */
function same(a, b) {
  return Array.isArray(a) ? String([...a].sort()) === String([...b].sort()) : a === b;
}

/** @template T @param {T} value @param {T} known */
function unlessSame(value, known) {
  return same(value, known) ? undefined : value;
}
