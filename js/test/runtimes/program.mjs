// Runs the steps and prints a line of JSON for each. It ends when they are done.
import * as chatsdk from "chatsdk";

import { run } from "./steps.mjs";

const { BASE_URL, PROJECT_ID, API_KEY, API_SECRET } = process.env;
const settings = { baseUrl: BASE_URL, projectId: PROJECT_ID, apiKey: API_KEY, apiSecret: API_SECRET };
await run(chatsdk, settings, (...line) => console.log(JSON.stringify(line)));
