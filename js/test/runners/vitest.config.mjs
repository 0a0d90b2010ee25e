export default { test: { globals: true, include: ["chat.test.mjs"], watch: false } };
