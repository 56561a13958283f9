export { createProvider } from './create.mjs';
export { data, escapeHtml, hidden, nothing, page, problem, redirect } from './answers.mjs';
export { directory } from './directory.mjs';
export { isSame } from './clients.mjs';
export { OAuthError } from './errors.mjs';
export { Provider } from './provider.mjs';
export { verifiedClaims } from './tokens.mjs';
