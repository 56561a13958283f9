/** Scripts of pages of any origin may call what is no page: browsers keep tokens for themselves. */
const OPEN = { 'Access-Control-Allow-Origin': '*' };
const KEPT_BY_NOBODY = { 'Cache-Control': 'no-store', Pragma: 'no-cache' };

/** An answer to a program. */
export function data(json, { status = 200, headers = {} } = {}) {
  return { status, headers: { ...OPEN, ...KEPT_BY_NOBODY, ...headers }, json };
}

/** An answer that may be kept, such as the key set. */
export function published(json) {
  return { status: 200, headers: { ...OPEN, 'Cache-Control': 'public, max-age=60' }, json };
}

/** An answer without a body. */
export function nothing(status = 204, headers = {}) {
  return { status, headers: { ...OPEN, ...headers } };
}

/** What a browser asks before a script calls another origin. */
export function preflight() {
  return nothing(204, {
    'Access-Control-Allow-Methods': 'GET, POST, PUT, DELETE, OPTIONS',
    'Access-Control-Allow-Headers': 'authorization, content-type',
    'Access-Control-Max-Age': '600',
  });
}

/** The form that an error of OAuth has (RFC 6749, section 5.2). */
export function refusal({ code, message, status, headers }) {
  return data({ error: code, error_description: message }, { status, headers });
}

/** Leads the browser on; after a form by GET (RFC 9110, section 15.4.4). */
export function redirect(location, { method = 'GET', headers = {} } = {}) {
  return {
    status: method === 'POST' ? 303 : 302,
    headers: { Location: location, 'Cache-Control': 'no-store', ...headers },
  };
}

/** A text for the inside of HTML, attributes included. */
export function escapeHtml(text) {
  const named = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return String(text).replaceAll(/[&<>"']/g, (letter) => named[letter]);
}

const STYLE =
  'body{font:16px/1.5 system-ui,sans-serif;margin:10vh auto;max-width:22rem;padding:0 1rem;color:#222}' +
  'label,input,button{display:block;width:100%;box-sizing:border-box;font:inherit}' +
  'input{margin:0 0 1rem;padding:.5rem}button{padding:.6rem;margin:0 0 .5rem}.problem{color:#b00020}';

/** A page for people; `content` is HTML. */
export function page(title, content, { status = 200, headers = {} } = {}) {
  return {
    status,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
      ...headers,
    },
    body:
      `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title>` +
      `<meta name="viewport" content="width=device-width"><style>${STYLE}</style></head>` +
      `<body><main><h1>${escapeHtml(title)}</h1>${content}</main></body></html>`,
  };
}

/** A paragraph that says what is wrong; nothing without a text. */
export function problem(text) {
  return text === undefined ? '' : `<p class="problem" role="alert">${escapeHtml(text)}</p>`;
}

/** Fields of a form that nobody sees. */
export function hidden(fields) {
  return Object.entries(fields)
    .map(([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`)
    .join('');
}
