import { inPlay } from "./config.js";
import { promise, resolved } from "./native.js";

/** How much of a request's body has been sent, in bytes. */
export type OnProgress = (sent: number, total: number) => void;

/** Sends a request as the global fetch does. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/**
 * Sends a request as fetch does and reports its progress, which fetch cannot. With the page's own fetch, without
 * XMLHttpRequest (servers), and in a page inside Node (jsdom), progress is reported once, when the
 * response begins. The response is read as a stream. A page's cookies for its own origin are sent.
 */
export async function upload(url: string, init: RequestInit, onProgress: OnProgress | undefined, own: Fetch | undefined): Promise<Response> {
  const total = sizeOf(init.body);
  let sent = 0;
  const report: OnProgress = (...numbers) => {
    [sent] = numbers;
    onProgress?.(...numbers);
  };
  const response = await (own ?? (inPlay() ? fetchInPlay : typeof XMLHttpRequest === "undefined" ? fetch : progressed))(url, init, report);
  if (!sent) { // a service worker that answers hides the events, too
    report(total, total);
  }
  return response;
}

/** The bytes of a form's files and message. */
function sizeOf(form: RequestInit["body"]): number {
  let size = 0;
  if (form instanceof FormData) {
    form.forEach((value, name) => {
      size += typeof value !== "string" ? value.size : name === "message" ? new Blob([value]).size : 0;
    });
  }
  return size;
}

/**
 * The page's fetch, or else Node's: jsdom has none, and under Jest a page has only what jsdom has.
 * Node's fetch accepts neither signals nor forms of jsdom.
 */
async function fetchInPlay(url: string, init: RequestInit): Promise<Response> {
  const node = globalThis.process.getBuiltinModule("node:vm").runInThisContext("globalThis") as typeof globalThis;
  const { fetch, Response } = "fetch" in globalThis ? globalThis : node;
  const { body, signal } = init;
  if (signal && fetch === node.fetch && node !== globalThis) {
    const controller = new node.AbortController();
    const abort = () => controller.abort();
    signal.addEventListener("abort", abort);
    if (signal.aborted) {
      abort();
    }
    init.signal = controller.signal;
  }
  if (body instanceof FormData) {
    const empty = new Response("", { headers: { "content-type": "application/x-www-form-urlencoded" } });
    init.body = await known(body, await empty.formData());
  }
  return fetch(url, init);
}

/** The form, or a copy of it if fetch does not know its class. */
async function known(form: FormData, copy: FormData): Promise<FormData> {
  if (form instanceof copy.constructor) {
    return form;
  }
  const { File } = globalThis.process.getBuiltinModule("node:buffer") as unknown as typeof globalThis;
  for (const [name, value] of form) {
    if (typeof value === "string") {
      copy.append(name, value);
    } else {
      copy.append(name, new File([await bytesOf(value)], value.name, { type: value.type }));
    }
  }
  return copy;
}

/** A file's bytes, read in a way that every jsdom has. */
function bytesOf(file: Blob): Promise<ArrayBuffer> {
  return promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result as ArrayBuffer);
    reader.onerror = () => reject(reader.error ?? new TypeError("the file cannot be read"));
    reader.readAsArrayBuffer(file);
  });
}

async function progressed(url: string, init: RequestInit, onProgress: OnProgress): Promise<Response> {
  init.signal?.throwIfAborted();
  const request = new XMLHttpRequest();
  request.open(init.method ?? "POST", url);
  new Headers(init.headers).forEach((value, name) => {
    request.setRequestHeader(name, value);
  });
  request.upload.onprogress = ({ loaded, total }) => onProgress(loaded, total);
  init.signal?.addEventListener("abort", () => {
    request.abort();
  });
  request.send(init.body as FormData);
  await promise((resolve) => {
    request.onreadystatechange = resolve;
  });
  // The request has headers now, or it failed and has no address. A redirect cannot be refused
  // earlier; it has already taken the credentials along.
  if (request.responseURL !== resolved(url).href) {
    request.abort();
    throw new TypeError(lost);
  }
  const headers = [...request.getAllResponseHeaders().matchAll(/(.+?): (.*)/g)];
  // Fetch gives these statuses no body, and a Response with one is refused.
  return new Response([204, 205, 304].includes(request.status) ? null : bodyOf(request), {
    status: request.status,
    headers: headers.map(([, name = "", value = ""]): [string, string] => [name, value]),
  });
}

const lost = "connection lost";

/** The text of the response, as its original bytes. */
function bodyOf(request: XMLHttpRequest): ReadableStream<Uint8Array> {
  let read = 0;
  return new ReadableStream({
    start(controller) {
      const pass = () => {
        const text = request.responseText;
        controller.enqueue(new TextEncoder().encode(text.slice(read)));
        read = text.length;
      };
      request.onprogress = pass;
      request.onloadend = () => {
        // Firefox reports progress after the end, and keeps the address of a request that was cut.
        if (request.status) {
          pass();
          controller.close();
          request.onprogress = null;
        } else {
          controller.error(new TypeError(lost));
        }
      };
    },
    cancel() {
      request.abort();
    },
  });
}
