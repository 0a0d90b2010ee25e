import { serverSDK } from "../server";

// Your own says here who is logged in.
export async function POST() {
  const { access_token } = await serverSDK().createAccessToken({ userId: "ana" });
  return new Response(access_token);
}
