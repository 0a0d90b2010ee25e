import { Chat } from "./chat";
import { serverSDK } from "./server";

export const dynamic = "force-dynamic";

export default async function Page() {
  const { agents } = await serverSDK().listAgents();
  return (
    <main>
      <h1>{agents.map(({ name }) => name).join(", ")}</h1>
      <Chat baseUrl={process.env.SERVICE} />
    </main>
  );
}
