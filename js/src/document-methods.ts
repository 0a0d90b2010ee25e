import type { CallOptions, GetDocumentOptions, ListDocumentsOptions, UploadDocumentOptions } from "./options.js";
import type { Document, ListDocumentsResponse, UploadDocumentResponse } from "./types.js";

/** The methods of a ChatSDK for documents, the sources of answers. */
export interface DocumentMethods {
  /**
   * Uploads a file (plain text, Markdown, HTML or PDF) as a source for answers.
   * Resolves when it is stored. `listDocuments` shows when the service has read it.
   *
   * @param file The file. The name of a File is the document's name.
   * @param options Metadata, progress, and the options of a call that counts once.
   * @throws {APIError} `PAYLOAD_TOO_LARGE`, or `VALIDATION_ERROR` if the service cannot read this kind of file,
   * or `QUOTA_EXCEEDED` if the user has as many documents as allowed.
   * @example
   * ```ts
   * const { document_key: key } = await sdk.uploadDocument(file, { onProgress: (sent, total) => console.log(sent / total) });
   * await sdk.sendMessage("What does it say?", { documentKeys: [key] });
   * ```
   */
  uploadDocument(file: Blob, options?: UploadDocumentOptions): Promise<UploadDocumentResponse>;

  /**
   * Returns a page of the documents that the caller may use, newest first.
   *
   * @param options Which page, which names, and the options of a call.
   * @throws {APIError} `VALIDATION_ERROR` if no page gave this cursor.
   * @example
   * ```ts
   * const { docs } = await sdk.listDocuments({ nameSearch: "travel", limit: 10 });
   * console.log(docs.map(({ title, status }) => `${title}: ${status}`).join("\n"));
   * ```
   */
  listDocuments(options?: ListDocumentsOptions): Promise<ListDocumentsResponse>;

  /**
   * Returns the text of a document, or a part of it, and its passages.
   *
   * @param documentKey The document's key.
   * @param options Which part of the text, and the options of a call.
   * @throws {APIError} `ENTITY_NOT_FOUND` if the caller may use no such document.
   * @example
   * ```ts
   * const { title, text } = await sdk.getDocument(documentKey, { start: 0, end: 1000 });
   * console.log(title, text);
   * ```
   */
  getDocument(documentKey: string, options?: GetDocumentOptions): Promise<Document>;

  /**
   * Deletes a document for good. No later answer uses it.
   *
   * @param documentKey The document's key.
   * @param options The options of a call.
   * @throws {APIError} `ENTITY_NOT_FOUND` if there is no such document, `PERMISSION_DENIED` if the caller may only read it.
   * @example
   * ```ts
   * await sdk.deleteDocument(documentKey);
   * ```
   */
  deleteDocument(documentKey: string, options?: CallOptions): Promise<void>;
}
