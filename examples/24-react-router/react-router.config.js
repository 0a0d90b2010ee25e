export default { prerender: ["/"] };
