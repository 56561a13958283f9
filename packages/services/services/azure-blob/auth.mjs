import { createHmac, timingSafeEqual } from 'node:crypto';
import { BlobError } from './errors.mjs';

const failed = (detail) =>
  new BlobError(
    403,
    'AuthenticationFailed',
    'Server failed to authenticate the request. Make sure the value of Authorization header is formed correctly including the signature.',
    { fields: { AuthenticationErrorDetail: detail } },
  );

const SIGNED =
  'content-language content-encoding content-length content-md5 content-type date if-modified-since if-match if-none-match if-unmodified-since range'.split(
    ' ',
  );
const SKEW = 15 * 60_000;

/**
 * Checks who calls: by the shared key, by a shared access signature, by a token, or by what a container lets everybody do.
 *
 * @param need - the permission that the call needs, as in a signature, and the type of resource it is about
 */
export function authenticate(call, need) {
  const { request, query, account } = call;
  const given = request.headers.authorization;
  if (given !== undefined) {
    if (/^Bearer ./i.test(given)) {
      if (/invalid|expired/.test(given)) throw failed('The token is not valid.');
      return;
    }
    checkKey(call, given);
  } else if (query.sig !== undefined) checkSas(call, need);
  else if (!isPublic(call, need))
    throw new BlobError(
      401,
      'NoAuthenticationInformation',
      'Server failed to authenticate the request. Please refer to the information in the www-authenticate header.',
      {
        headers: {
          'WWW-Authenticate': `Bearer authorization_uri=https://login.microsoftonline.com/${account.name}`,
        },
      },
    );
}

function isPublic({ store, container, blob, request }, { permission }) {
  if (request.method !== 'GET' && request.method !== 'HEAD') return false;
  if (container === '' || !store.containers.has(container)) return false;
  const access = store.containers.get(container).public_access;
  return access === 'container' || (access === 'blob' && blob !== '' && permission === 'r');
}

const sign = ({ key }, text) =>
  createHmac('sha256', Buffer.from(key, 'base64')).update(text).digest('base64');

function isSame(one, other) {
  const [a, b] = [Buffer.from(one), Buffer.from(String(other))];
  return a.length === b.length && timingSafeEqual(a, b);
}

function checkKey({ request, account, now, base }, given) {
  const [, name, signature] = /^SharedKey ([^:]+):(\S+)$/.exec(given) ?? [];
  if (name === undefined) throw failed('The Authorization header is not SharedKey account:signature.');
  if (name !== account.name) throw failed(`There is no account ${name}; the account is ${account.name}.`);
  const { headers } = request;
  const date = Date.parse(headers['x-ms-date'] ?? headers.date ?? '');
  if (Number.isNaN(date) || Math.abs(now - date) > SKEW)
    throw failed(`Request date header too old: '${headers['x-ms-date'] ?? headers.date ?? ''}'`);
  const values = SIGNED.map((one) => {
    const value = String(headers[one] ?? '');
    if (one === 'content-length' && value === '0') return '';
    return one === 'date' && headers['x-ms-date'] !== undefined ? '' : value;
  });
  const own = Object.keys(headers).filter((one) => one.startsWith('x-ms-'));
  const lines = (compare) =>
    [...own]
      .sort(compare)
      .map((one) => `${one}:${String(headers[one]).trim().replaceAll(/\s+/g, ' ')}\n`)
      .join('');
  // SDKs order by the bytes of names, or as .NET does, which leaves dashes out at first.
  const plain = (one) => one.replaceAll('-', '');
  const orders = [(a, b) => (a < b ? -1 : 1), (a, b) => (plain(a) < plain(b) ? -1 : 1)];
  const parameters = new Map();
  for (const [one, value] of Object.entries(request.query))
    parameters.set(one.toLowerCase(), [value].flat().sort().join(','));
  const tail = [...parameters]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([one, value]) => `\n${one}:${value}`)
    .join('');
  // A host name or a port of its own stands for the path of the service, which the client does not see then.
  const paths = [request.path, request.path.slice(base.length)];
  for (const path of paths)
    for (const order of orders) {
      const text = `${[request.method, ...values].join('\n')}\n${lines(order)}/${account.name}${path}${tail}`;
      if (isSame(sign(account, text), signature)) return;
    }
  throw failed('The MAC signature found in the HTTP request is not the same as any computed signature.');
}

const KINDS = { service: 's', container: 'c', object: 'o' };

function checkSas(call, { permission, type }) {
  const { query, account, now, container, blob, store } = call;
  const of = (name) => query[name] ?? '';
  const version = of('sv');
  let text;
  let policy = {};
  if (query.ss !== undefined) {
    const fields = [
      account.name,
      of('sp'),
      of('ss'),
      of('srt'),
      of('st'),
      of('se'),
      of('sip'),
      of('spr'),
      version,
    ];
    text = [...fields, ...(version >= '2020-12-06' ? [of('ses')] : []), ''].join('\n');
    if (!of('ss').includes('b')) throw mismatch('AuthorizationServiceMismatch', 'service');
    if (!of('srt').includes(KINDS[type]))
      throw mismatch('AuthorizationResourceTypeMismatch', 'resource type');
  } else {
    const isWhole = of('sr') === 'c';
    if (container === '') throw mismatch('AuthorizationPermissionMismatch', 'resource');
    const place = `/blob/${account.name}/${container}${isWhole ? '' : `/${blob}`}`;
    if (query.si !== undefined) {
      const found = store.containers.has(container) ? store.containers.get(container).policies : [];
      policy = found?.find(({ id }) => id === query.si);
      if (policy === undefined) throw failed(`There is no stored access policy ${query.si}.`);
    }
    const before = [of('sp'), of('st'), of('se'), place, of('si'), of('sip'), of('spr'), version];
    const scope = version >= '2020-12-06' ? [of('ses')] : [];
    const more = version >= '2018-11-09' ? [of('sr'), of('snapshot'), ...scope] : [];
    text = [...before, ...more, of('rscc'), of('rscd'), of('rsce'), of('rscl'), of('rsct')].join('\n');
  }
  if (!isSame(sign(account, text), query.sig))
    throw failed('Signature did not match: the string that was signed is not the one of this request.');
  const [start, end] = [Date.parse(query.st ?? policy.start), Date.parse(query.se ?? policy.expiry)];
  if (Number.isNaN(end)) throw failed('se is mandatory. Cannot be empty');
  if (now > end || now < start)
    throw failed(
      `Signature not valid in the specified time frame: Start [${of('st')}] - Expiry [${of('se')}] - Current [${new Date(now).toUTCString()}]`,
    );
  const allowed = query.sp ?? policy.permission ?? '';
  if (![...permission].some((one) => allowed.includes(one)))
    throw mismatch('AuthorizationPermissionMismatch', 'permission');
}

function mismatch(code, what) {
  return new BlobError(
    403,
    code,
    `This request is not authorized to perform this operation using this ${what}.`,
  );
}
