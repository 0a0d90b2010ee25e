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
    const fail = () => {
      reject(new TypeError("the connection was lost"));
    };
    request.open(init.method ?? "POST", url);
    new Headers(init.headers).forEach((value, name) => {
      request.setRequestHeader(name, value);
    });
    request.upload.onprogress = ({ loaded, total }) => {
      onProgress(loaded, total);
    };
    request.onreadystatechange = () => {
      if (request.readyState !== 2) {
        return;
      }
      if (request.responseURL !== new URL(url, location.href).href) {
        request.abort(); // it was redirected, and the credentials with it
        fail();
        return;
      }
      resolve(new Response(bodyOf(request), { status: request.status, headers: headersOf(request) }));
    };
    request.onerror = request.onabort = fail;
    init.signal?.addEventListener("abort", () => {
      request.abort();
    });
    request.send(init.body as FormData);
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
  let read = 0;
  return new ReadableStream({
    start(controller) {
      const take = () => {
        const text = request.responseText.slice(read);
        read += text.length;
        controller.enqueue(new TextEncoder().encode(text));
      };
      request.onprogress = take;
      request.onload = () => {
        take();
        controller.close();
      };
      request.onerror = request.onabort = () => {
        controller.error(new TypeError("the connection was lost"));
      };
    },
    cancel() {
      request.abort();
    },
  });
}

function headersOf(request: XMLHttpRequest): Headers {
  const lines = request.getAllResponseHeaders().trim().split("\r\n");
  return new Headers(lines.filter(Boolean).map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()]));
}
