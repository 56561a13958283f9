/** A call that Twilio refuses, as its SDKs know it by the status and the code. */
export class TwilioError extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/**
 * Makes the function of a mock: it checks who calls, and answers what `act` throws as Twilio does.
 *
 * @param act - takes `{form, params, query, account, request, context}` and returns JSON; nothing for what is gone
 */
export function operation(act, status = 200) {
  return (request, context) => {
    try {
      const account = whoCalls(request, context);
      const { params, query, form = {} } = request;
      const json = act({ form, params, query, account, request, context });
      return json === undefined ? { status: 204 } : { status, json };
    } catch (error) {
      if (!(error instanceof TwilioError)) throw error;
      const { code, message, status: own } = error;
      return {
        status: own,
        json: { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status: own },
      };
    }
  };
}

function whoCalls({ headers, params }, { vars }) {
  const basic = /^Basic (.+)$/i.exec(String(headers.authorization ?? ''))?.[1];
  const [name, token] = Buffer.from(basic ?? '', 'base64')
    .toString()
    .split(':');
  const isKnown =
    /^(AC|SK)\w+$/.test(name) && token !== undefined && token !== '' && !token.includes('invalid');
  if (!isKnown) throw new TwilioError(401, 20003, 'Authenticate');
  const account = name.startsWith('AC') ? name : vars.twilio.account_sid;
  if (params.account !== undefined && params.account !== account)
    throw new TwilioError(401, 20003, 'Authentication Error - invalid username');
  return account;
}

export const rowsOf = ({ collection }, name) => collection(`twilio:${name}`);

/** The row with an id. @throws TwilioError 20404 */
export function find(context, name, sid, path) {
  const rows = rowsOf(context, name);
  if (rows.has(sid)) return rows.get(sid);
  throw new TwilioError(404, 20404, `The requested resource ${path} was not found`);
}

/** An id such as `SM0123...`. */
export function newSid({ random }, begin) {
  const digits = Array.from({ length: 32 }, () => random.int(0, 15).toString(16)).join('');
  return begin + digits;
}

/** A time as the API of 2010 writes it. */
export function mailDate({ clock }) {
  return new Date(clock.now()).toUTCString().replace('GMT', '+0000');
}

/** A time as the other APIs write it. */
export function isoDate({ clock }) {
  return new Date(clock.now()).toISOString().replace(/\.\d+Z$/, 'Z');
}

export function needed(form, ...names) {
  for (const name of names)
    if (form[name] === undefined || form[name] === '')
      throw new TwilioError(
        400,
        MISSING[name] ?? 20001,
        `A '${name}' ${name === 'To' ? 'phone number' : 'value'} is required.`,
      );
}
const MISSING = { To: 21604, From: 21603, Body: 21602 };

const SIZE = 1000;

/** A page of a list, newest first, as the API of 2010 shows it. */
export function page(list, name, request) {
  const { query, path } = request;
  const { size, at, items, isLast } = part(list, query);
  const own = path.replace(/^\/twilio\/api/, '');
  const link = (number) => {
    const values = new URLSearchParams(query);
    values.set('PageSize', String(size));
    values.set('Page', String(number));
    return `${own}?${values}`;
  };
  return {
    [name]: items,
    page: at,
    page_size: size,
    start: at * size,
    end: at * size + Math.max(0, items.length - 1),
    uri: link(at),
    first_page_uri: link(0),
    next_page_uri: isLast ? null : link(at + 1),
    previous_page_uri: at === 0 ? null : link(at - 1),
  };
}

/** The same as the other APIs show it. */
export function metaPage(list, name, request, product) {
  const { query, path } = request;
  const { size, at, items, isLast } = part(list, query);
  const own = `https://${product}.twilio.com${path.replace(`/twilio/${product}`, '')}`;
  const link = (number) => `${own}?PageSize=${size}&Page=${number}`;
  const meta = {
    page: at,
    page_size: size,
    first_page_url: link(0),
    previous_page_url: at === 0 ? null : link(at - 1),
    next_page_url: isLast ? null : link(at + 1),
    url: link(at),
    key: name,
  };
  return { [name]: items, meta };
}

function part(list, { PageSize: wanted = '50', Page: number = '0' }) {
  const size = Math.min(SIZE, Number(wanted));
  const at = Number(number);
  if (!Number.isInteger(size) || size < 1 || !Number.isInteger(at) || at < 0)
    throw new TwilioError(400, 20001, 'Page size and page must be whole numbers');
  const items = [...list].reverse().slice(at * size, (at + 1) * size);
  return { size, at, items, isLast: (at + 1) * size >= list.length };
}

/** Sends a callback, signed with the token of the account. @param wait - milliseconds of the clock before it is sent */
export function callBack(context, url, method, fields, wait = 0) {
  if (typeof url !== 'string' || url === '') return;
  const text = new URLSearchParams(fields).toString();
  const isGet = method === 'GET';
  const mark = url.includes('?') ? '&' : '?';
  context.webhook({
    url: isGet ? `${url}${mark}${text}` : url,
    method: isGet ? 'GET' : 'POST',
    headers: {
      'User-Agent': 'TwilioProxy/1.1',
      ...(isGet ? {} : { 'Content-Type': 'application/x-www-form-urlencoded' }),
    },
    ...(isGet ? {} : { body: text }),
    sign: { scheme: 'twilio', secret: context.vars.twilio.auth_token },
    delay: wait,
    retries: 1,
  });
}
