export const metadata = { title: "ChatSDK with Next.js", icons: "data:," };

export default function Layout({ children }) {
  return <html lang="en"><body>{children}</body></html>;
}
