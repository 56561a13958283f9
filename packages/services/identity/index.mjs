export { createProvider } from './create.mjs';
export { data, escapeHtml, nothing, page, problem, redirect } from './answers.mjs';
export { directory } from './directory.mjs';
export { isSame } from './clients.mjs';
export { wordsOf } from './params.mjs';
