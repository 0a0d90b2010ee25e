package bundlers_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Next.js renders a component with the hook on its server, from a page that is a
// server component. It bundles the package for that: otherwise the hook
// would get another React than the page.
func TestNextJSRendersTheHook(t *testing.T) {
	t.Parallel()
	e := install(t, "11-nextjs", "")
	e.write(t, "next.config.js", `export default { turbopack: { root: import.meta.dirname } };`)
	require.NoError(t, os.Mkdir(filepath.Join(e.folder, "app/hook"), 0o755))
	e.write(t, "app/hook/page.jsx", `
		import { Hook } from "./hook.jsx";
		export default function Page() { return <Hook />; }`)
	e.write(t, "app/hook/hook.jsx", `"use client";
		import { ChatSDK } from "chatsdk";
		import { useChat } from "chatsdk/react";
		const sdk = new ChatSDK({ baseUrl: "https://chat.example.com", projectId: "demo", accessToken: "none" });
		export function Hook() {
			return <p>{useChat({ sdk, chatId: "c1" }).status}</p>;
		}`)
	e.run(t, "npm", "run", "build")
	require.Contains(t, e.read(t, ".next/server/app/hook.html"), "<p>loading</p>")
}
