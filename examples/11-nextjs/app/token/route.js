import { serverSDK } from "../server";

// Your server puts the logged-in user here.
export async function POST() {
  const { access_token } = await serverSDK().createAccessToken({ userId: "ana" });
  return new Response(access_token);
}
