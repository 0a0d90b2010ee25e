/** How much of a request's body has been sent, in bytes. */
export type OnProgress = (sent: number, total: number) => void;

/**
 * Sends a request as fetch does and tells how far it has come, which fetch
 * cannot. Where there is no XMLHttpRequest (servers) it is told once, when the
 * answer begins. The answer is read as it comes. A page's cookies for its own
 * origin go along.
 */
export async function upload(url: string, init: RequestInit, onProgress: OnProgress): Promise<Response> {
  if (typeof XMLHttpRequest === "undefined") {
    const response = await fetch(url, init);
    let total = 0;
    if (init.body instanceof FormData) {
      init.body.forEach((value) => {
        total += typeof value === "string" ? 0 : value.size;
      });
    }
    onProgress(total, total);
    return response;
  }
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
  await new Promise((resolve) => {
    request.onreadystatechange = resolve;
  });
  // It has headers or has failed, and then no address. A redirect, which cannot
  // be refused before, took the credentials with it.
  if (request.responseURL !== new URL(url).href) {
    request.abort();
    throw new TypeError(lost);
  }
  const headers = [...request.getAllResponseHeaders().matchAll(/(.+?): (.*)/g)];
  return new Response(bodyOf(request), {
    status: request.status,
    headers: headers.map(([, name = "", value = ""]): [string, string] => [name, value]),
  });
}

const lost = "connection lost";

/** The text that comes, as the bytes that it came as. */
function bodyOf(request: XMLHttpRequest): ReadableStream<Uint8Array> {
  let read = 0;
  return new ReadableStream({
    start(controller) {
      const take = () => {
        const text = request.responseText;
        controller.enqueue(new TextEncoder().encode(text.slice(read)));
        read = text.length;
      };
      request.onprogress = take;
      request.onloadend = () => {
        // Firefox tells of progress behind the end, and keeps the address of what was cut.
        if (request.status) {
          take();
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
