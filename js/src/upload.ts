/** How much of a request's body has been sent, in bytes. */
export type OnProgress = (sent: number, total: number) => void;

/**
 * Sends a request as fetch does and tells how far it has come, which fetch
 * cannot. Where there is no XMLHttpRequest (servers) it is told once, when the
 * answer begins. The answer is read as it comes.
 */
export async function upload(url: string, init: RequestInit, onProgress: OnProgress): Promise<Response> {
  if (typeof XMLHttpRequest === "undefined") {
    const response = await fetch(url, init);
    const total = size(init.body);
    onProgress(total, total);
    return response;
  }
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const failed = () => {
      reject(new TypeError("the request failed"));
    };
    request.open(init.method ?? "POST", url);
    new Headers(init.headers).forEach((value, name) => {
      request.setRequestHeader(name, value);
    });
    request.upload.onprogress = ({ loaded, total }) => {
      onProgress(loaded, total);
    };
    request.onreadystatechange = () => {
      if (request.readyState !== XMLHttpRequest.HEADERS_RECEIVED) {
        return;
      }
      if (request.responseURL !== "" && request.responseURL !== new URL(url, location.href).href) {
        request.abort(); // it was redirected, and the credentials with it
        failed();
        return;
      }
      resolve(new Response(bodyOf(request), { status: request.status, headers: headersOf(request) }));
    };
    request.addEventListener("error", failed);
    init.signal?.addEventListener("abort", () => {
      request.abort();
      reject(new DOMException("the call was aborted", "AbortError"));
    });
    request.send(init.body as XMLHttpRequestBodyInit);
  });
}

function size(body: unknown): number {
  let total = 0;
  if (body instanceof FormData) {
    body.forEach((value) => {
      total += typeof value === "string" ? 0 : value.size;
    });
  }
  return total;
}

/** The text that comes, as the bytes that it came as. */
function bodyOf(request: XMLHttpRequest): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let read = 0;
  return new ReadableStream({
    start(controller) {
      let open = true;
      const take = () => {
        const text = request.responseText;
        if (open && text.length > read) {
          controller.enqueue(encoder.encode(text.slice(read)));
          read = text.length;
        }
      };
      const end = (close: () => void) => () => {
        take();
        if (open) {
          open = false;
          close();
        }
      };
      const fail = end(() => {
        controller.error(new TypeError("the connection was lost"));
      });
      request.addEventListener("progress", take);
      request.addEventListener("load", end(() => {
        controller.close();
      }));
      request.addEventListener("error", fail);
      request.addEventListener("abort", fail);
    },
    cancel() {
      request.abort();
    },
  });
}

function headersOf(request: XMLHttpRequest): Headers {
  const headers = new Headers();
  for (const line of request.getAllResponseHeaders().trim().split("\r\n")) {
    const colon = line.indexOf(":");
    if (colon > 0) {
      headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
    }
  }
  return headers;
}
