export default { test: { globals: true, include: ["*.test.mjs"], watch: false } };
