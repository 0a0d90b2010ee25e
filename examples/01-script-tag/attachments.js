import { explain } from "./errors.js";
import { announce, byId, copyOf, part } from "./page.js";

const imageTypes = ["image/png", "image/jpeg", "image/webp", "image/gif"];

/** The attachments: images, which go with the next message, and documents, which are uploaded at once. */
export class Attachments {
  #page;
  #chat;
  #list = byId("attachments");
  /** @type {Map<Element, File>} */
  #images = new Map();

  /** @param {import("./page.js").Page} page @param {() => {id: string} | undefined} chat returns the chat that is shown. */
  constructor(page, chat) {
    this.#page = page;
    this.#chat = chat;
    const files = byId("files");
    byId("attach").addEventListener("click", () => files.click());
    files.addEventListener("change", () => {
      this.add(files.files);
      files.value = ""; // so that the same file can be chosen again
    });
    byId("message").addEventListener("paste", (/** @type {ClipboardEvent} */ event) => {
      if (event.clipboardData?.files.length) {
        event.preventDefault();
        this.add(event.clipboardData.files);
      }
    });
    this.#drop(byId("main"));
  }

  /** Attaches images, and uploads other files as documents. @param {Iterable<File>} files */
  add(files) {
    for (const file of files) {
      imageTypes.includes(file.type) ? this.#addImage(file) : void this.#upload(file);
    }
    byId("message").focus();
  }

  /** Returns the images, and removes them and the documents that are done from the form. @returns {File[]} */
  take() {
    const images = [...this.#images.values()];
    for (const item of [...this.#list.children]) {
      if (item.dataset.state === "image" || item.dataset.state === "synced") {
        this.#remove(item);
      }
    }
    return images;
  }

  /** @param {File} file */
  #addImage(file) {
    const item = this.#item(file, "image", () => {});
    part(item, "image").append(picture(file, ""));
    this.#images.set(item, file);
    this.#count();
  }

  /** Uploads a document, waits until it is read, and chooses it for the chat. @param {File} file */
  async #upload(file) {
    const chat = this.#chat();
    const giveUp = new AbortController();
    const item = this.#item(file, "queued", () => giveUp.abort());
    const say = (/** @type {string} */ state, /** @type {string} */ text) => {
      item.dataset.state = state;
      part(item, "state").textContent = text;
      part(item, "progress").hidden = state !== "queued";
    };
    try {
      say("queued", "uploading");
      const { document_key: key } = await this.#page.sdk.uploadDocument(file, {
        signal: giveUp.signal,
        onProgress: (sent, total) => Object.assign(part(item, "progress"), { value: sent, max: total || 1 }),
      });
      say("queued", "is being read");
      part(item, "progress").removeAttribute("value");
      const { status, error } = await this.#read(key, giveUp.signal);
      item.dataset.document = key;
      say(status, status === "synced" ? "chosen for this chat" : error ?? "cannot be read");
      if (status === "synced") {
        this.#page.choices.add(chat?.id ?? "", key);
      }
    } catch (error) {
      const { title, details } = explain(error);
      say("failed", error instanceof ChatSDK.APIError && error.status >= 400 ? error.detail ?? error.message : `${title} ${details}`);
    }
    if (item.isConnected) {
      announce(`${file.name}: ${part(item, "state").textContent}`);
    }
  }

  /**
   * Waits until an uploaded document is read, and returns it.
   * @param {string} key @param {AbortSignal} signal @returns {Promise<{status: string, error?: string}>}
   */
  async #read(key, signal) {
    for (let pause = 100; ; pause = Math.min(2 * pause, 2000)) {
      const { docs } = await this.#page.sdk.listDocuments({ itemsPerPage: 100, signal });
      const document = docs.find((one) => one.content_key === key) ?? { status: "failed", error: "was deleted" };
      if (document.status !== "queued") {
        return document;
      }
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }

  /** @param {File} file @param {string} state @param {() => void} onRemove */
  #item(file, state, onRemove) {
    const item = copyOf("attachment");
    item.dataset.state = state;
    part(item, "name").textContent = file.name;
    const button = item.querySelector("button");
    button.ariaLabel = `Remove “${file.name}”`;
    button.addEventListener("click", () => {
      onRemove();
      this.#remove(item);
      byId("message").focus();
    });
    this.#list.append(item);
    this.#count();
    return item;
  }

  /** @param {Element} item */
  #remove(item) {
    this.#images.delete(item);
    item.remove();
    this.#count();
  }

  /** A message with images needs a text too. */
  #count() {
    this.#list.hidden = this.#list.childElementCount === 0;
    byId("message").placeholder = this.#images.size > 0 ? "Say something about it" : "Write a message";
  }

  /** Takes files that are dropped. A file that misses the zone does not replace the page. @param {HTMLElement} zone */
  #drop(zone) {
    const carriesFiles = (/** @type {DragEvent} */ event) => event.dataTransfer?.types.includes("Files") === true;
    addEventListener("dragover", (event) => {
      if (carriesFiles(event)) {
        event.preventDefault();
        zone.classList.toggle("dropping", zone.contains(/** @type {Node} */ (event.target)));
      }
    });
    addEventListener("dragleave", (event) => event.relatedTarget === null && zone.classList.remove("dropping"));
    addEventListener("drop", (event) => {
      zone.classList.remove("dropping");
      if (carriesFiles(event)) {
        event.preventDefault();
        if (zone.contains(/** @type {Node} */ (event.target)) && document.querySelector("dialog[open]") === null) {
          this.add(event.dataTransfer?.files ?? []);
        }
      }
    });
  }
}

/** An image from a file or from an address. @param {Blob | string} image @param {string} alt */
export function picture(image, alt) {
  const element = new Image();
  const address = typeof image === "string" ? image : URL.createObjectURL(image);
  if (typeof image !== "string") {
    element.onload = element.onerror = () => URL.revokeObjectURL(address);
  }
  [element.src, element.alt] = [address, alt];
  return element;
}
