// What an editor shows of the built declarations: each method says what its parameters are and what it throws, and has an example that
// compiles.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { SyntaxKind } from "typescript/unstable/ast";
import { API, SignatureKind, SymbolFlags } from "typescript/unstable/sync";

const root = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");
const folder = `${root}/js/test/.declarations`; // exists only in files
const config = `${folder}/tsconfig.json`;
const entries = ["chatsdk", "react", "ai-sdk"];
const files = { [config]: JSON.stringify({
  extends: "../tsconfig.json", files: ["examples.ts"], include: [], compilerOptions: {
    noUnusedLocals: false,
    lib: ["ES2022", "DOM", "DOM.Iterable", "DOM.AsyncIterable", "ESNext.Disposable"],
    paths: Object.fromEntries(entries.map((entry) => [entry === "chatsdk" ? entry : `chatsdk/${entry}`, [`../../../dist/${entry}.d.ts`]])),
  },
}) };

/** What the examples need not say. */
const around = `
import { ChatSDK, APIError } from "chatsdk";
import { useChat } from "chatsdk/react";
import { ChatSDKTransport, toUIMessages, unsentMessages } from "chatsdk/ai-sdk";
import type { UIMessage } from "ai";

declare const baseUrl: string, projectId: string, accessToken: () => Promise<string>, apiKey: string, apiSecret: string;
declare const sdk: ChatSDK, transport: ChatSDKTransport, messages: UIMessage[];
declare const chatId: string, messageId: string, agentId: string, documentKey: string, callId: string, memoryId: string;
declare const page: HTMLElement, button: HTMLButtonElement, file: File;
`;

/** The program with the declarations, and with the examples as far as they are known. */
function program(examples) {
  files[`${folder}/examples.ts`] = around + examples.map((code) => `{\n${code}\n}\n`).join("");
  const api = new API({ cwd: root, fs: {
    readFile: (name) => files[name],
    fileExists: (name) => (name in files ? true : undefined),
    directoryExists: (name) => (name === folder ? true : undefined),
  } });
  after(() => api.close());
  return api.updateSnapshot({ openProjects: [config] }).getProject(config);
}

/** The tags of a comment, as the checker gives them; it gives none for constructors. */
function tagsIn(comment) {
  const text = comment.replaceAll(/^\s*(\/\*\*|\*\/|\* ?)/gm, "");
  return text.split(/^@/m).slice(1).map((tag) => ({ name: /^\w+/.exec(tag)[0], text: tag.replace(/^\w+\s*/, "").trim() }));
}

/** What a page can call, with its tags: functions, classes, their members, and the members of what a function returns. */
function callables({ checker, program }) {
  const found = [];
  const ours = (symbol) => symbol.declarations.some(({ path }) => path.startsWith(`${root}/dist/`));
  const note = (name, signatures, tags) => {
    found.push({ name, parameters: new Set(signatures.flatMap((one) => one.getParameters().map((of) => of.name))), tags });
  };
  const membersOf = (name, type) => {
    for (const member of checker.getPropertiesOfType(type).filter(ours)) {
      const calls = checker.getSignaturesOfType(checker.getTypeOfSymbol(member), SignatureKind.Call);
      if (calls.length > 0) {
        note(`${name}.${member.name.replace(/^\uFFFD?__@(\w+)@\d+$/, "[Symbol.$1]")}`, calls, checker.getJsDocTagsOfSymbol(member));
      }
    }
  };
  for (const entry of entries) {
    const source = program.getSourceFile(`${root}/dist/${entry}.d.ts`);
    for (const listed of checker.getExportsOfModule(checker.getSymbolAtLocation(source))) {
      const exported = listed.flags & SymbolFlags.Alias ? checker.getAliasedSymbol(listed) : listed; // a class that is exported as a type
      const type = exported.valueDeclaration && checker.getTypeOfSymbol(exported);
      const calls = type ? checker.getSignaturesOfType(type, SignatureKind.Call) : [];
      const constructors = type ? checker.getSignaturesOfType(type, SignatureKind.Construct) : [];
      if (calls.length > 0) {
        note(exported.name, calls, checker.getJsDocTagsOfSymbol(exported));
        membersOf(exported.name, checker.getReturnTypeOfSignature(calls[0]));
      }
      if (constructors.length > 0) {
        const node = constructors[0].declaration?.resolve();
        if (node?.kind === SyntaxKind.Constructor && node.parameters.length > 0) {
          note(`new ${exported.name}`, constructors, tagsIn(source.text.slice(node.pos, node.getStart())));
        }
        membersOf(exported.name, type);
        membersOf(exported.name, checker.getReturnTypeOfSignature(constructors[0]));
      }
    }
  }
  return found;
}

const examplesOf = ({ tags }) => tags.filter(({ name }) => name === "example").map(({ text }) => /^```tsx?\n(.*)\n```$/s.exec(text.trim())?.[1]);

/** The names of the values among the exports of an entry. */
function valuesOf({ checker, program }, entry) {
  const source = program.getSourceFile(`${root}/dist/${entry}.d.ts`);
  const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(source));
  return exported.filter((one) => one.valueDeclaration && !(one.flags & SymbolFlags.Alias)).map(({ name }) => name);
}

const documented = callables(program([]));

test("every public method says what its parameters are and what it throws, and has an example", () => {
  const names = documented.map(({ name }) => name);
  for (const name of [
    "ChatSDK.createChat", "ChatSDK.preload", "ChatSDK.[Symbol.asyncDispose]", "AnswerStream.stop", "new ChatSDK", "useChat.send", "new ChatSDKTransport",
  ]) {
    assert.ok(names.includes(name), `${name} is not among ${names.join(", ")}`);
  }
  for (const one of documented) {
    const told = (tag, name = "") => one.tags.some(({ name: of, text = "" }) => of === tag && text.startsWith(name) && text.length > name.length + 5);
    for (const parameter of one.parameters) {
      assert.ok(told("param", parameter), `${one.name} has no @param ${parameter}`);
    }
    for (const { text } of one.tags.filter(({ name }) => name === "param")) {
      assert.ok(one.parameters.has(/^\w+/.exec(text)[0]), `${one.name} has a @param of another name: ${text}`);
    }
    assert.ok(told("throws"), `${one.name} has no @throws`);
    assert.ok(examplesOf(one).length > 0 && examplesOf(one).every(Boolean), `${one.name} has no @example between fences`);
  }
});

test("every example compiles", () => {
  const { program: compiled } = program(documented.flatMap(examplesOf));
  const faults = compiled.getSemanticDiagnostics(`${folder}/examples.ts`).concat(compiled.getSyntacticDiagnostics(`${folder}/examples.ts`));
  const text = files[`${folder}/examples.ts`];
  assert.deepEqual(faults.map(({ text: message, pos }) => `${message}: ${text.slice(text.lastIndexOf("\n", pos) + 1, text.indexOf("\n", pos))}`), []);
  const { program: wrong } = program([`${examplesOf(documented[0])[0]}; sdk.createChats();`]);
  assert.equal(wrong.getSemanticDiagnostics(`${folder}/examples.ts`).length, 1, "a wrong one is found");
});

test("the declarations export the values that the modules have", async () => {
  const known = program([]);
  for (const entry of entries) {
    assert.deepEqual(valuesOf(known, entry).sort(), Object.keys(await import(`${root}/dist/${entry}.mjs`)).sort(), entry);
  }
});

test("docs/api.md lists every method, with its parameters", () => {
  const page = readFileSync(`${root}/docs/api.md`, "utf8");
  for (const { name, parameters } of documented.filter((one) => one.name.startsWith("ChatSDK.") && !one.name.includes("["))) {
    const call = name === "ChatSDK.preload" ? name : name.slice("ChatSDK.".length);
    assert.ok(page.includes(`| \`${call}(${[...parameters].join(", ")})\` |`), `${name} is missing, or has other parameters`);
  }
});
