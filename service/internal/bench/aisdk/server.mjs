// The AI SDK's own way to keep chats and resume their streams, as its documentation has
// it: streamText, resumable-stream on Redis, messages in PostgreSQL when they are whole.
// It says where it listens.
import { createServer } from 'node:http';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { convertToModelMessages, generateId, pipeUIMessageStreamToResponse, streamText, toUIMessageStream } from 'ai';
import pg from 'pg';
import { createClient } from 'redis';
import { createResumableStreamContext } from 'resumable-stream/redis';

const { MODEL_URL, DATABASE_URL, REDIS_SOCKET } = process.env;
const model = createOpenAICompatible({ name: 'bench', baseURL: MODEL_URL, apiKey: 'none' })('bench');
const database = new pg.Pool({ connectionString: DATABASE_URL, max: 10 });
await database.query(`
  CREATE TABLE IF NOT EXISTS chats (id text PRIMARY KEY, user_id text NOT NULL, active_stream_id text, created_at timestamptz NOT NULL DEFAULT now());
  CREATE TABLE IF NOT EXISTS messages (id text PRIMARY KEY, chat_id text NOT NULL REFERENCES chats, position bigserial, message jsonb NOT NULL);
  CREATE INDEX IF NOT EXISTS messages_of_chat ON messages (chat_id, position);
  CREATE INDEX IF NOT EXISTS chats_of_user ON chats (user_id, created_at);`);
const redis = () => createClient({ socket: { path: REDIS_SOCKET } }).connect();
const [publisher, subscriber] = await Promise.all([redis(), redis()]);
const streams = createResumableStreamContext({ waitUntil: null, publisher, subscriber });

const save = (chat, message) =>
  database.query(
    'INSERT INTO messages (id, chat_id, message) VALUES ($1, $2, $3) ON CONFLICT (id) DO UPDATE SET message = excluded.message',
    [message.id, chat, message],
  );
const messagesOf = async (chat) =>
  (await database.query('SELECT message FROM messages WHERE chat_id = $1 ORDER BY position', [chat])).rows.map((row) => row.message);
const activate = (chat, stream) => database.query('UPDATE chats SET active_stream_id = $2 WHERE id = $1', [chat, stream]);

async function send(request, response) {
  const parts = [];
  for await (const part of request) parts.push(part);
  const { id, user, message } = JSON.parse(Buffer.concat(parts));
  await database.query('INSERT INTO chats (id, user_id) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET active_stream_id = NULL', [id, user]);
  await save(id, message);
  const messages = await messagesOf(id);
  const result = streamText({ model, messages: await convertToModelMessages(messages) });
  const stream = toUIMessageStream({
    stream: result.stream,
    originalMessages: messages,
    generateMessageId: generateId,
    onEnd: async ({ responseMessage }) => {
      await save(id, responseMessage);
      await activate(id, null);
    },
  });
  pipeUIMessageStreamToResponse({
    response,
    stream,
    consumeSseStream: async ({ stream }) => {
      const streamId = generateId();
      await streams.createNewResumableStream(streamId, () => stream);
      await activate(id, streamId);
    },
  });
}

async function resume(chat, response) {
  const { rows } = await database.query('SELECT active_stream_id FROM chats WHERE id = $1', [chat]);
  // It rejects after a second where the process that made the stream is dead.
  const stream = rows[0]?.active_stream_id && (await streams.resumeExistingStream(rows[0].active_stream_id).catch(() => null));
  if (!stream) return response.writeHead(204).end();
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for await (const part of stream) response.write(part);
  response.end();
}

const server = createServer(async (request, response) => {
  try {
    const [, , , chat, what] = request.url.split('/'); // /api/chat/{chat}/{what}
    if (request.method === 'POST') await send(request, response);
    else if (what === 'stream') await resume(chat, response);
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(await messagesOf(chat)));
  } catch (error) {
    console.error(error);
    if (!response.headersSent) response.writeHead(500);
    response.end(String(error));
  }
});
server.listen(0, '127.0.0.1', () => console.log(`listening on http://127.0.0.1:${server.address().port}`));
