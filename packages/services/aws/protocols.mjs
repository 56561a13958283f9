import { signerOf, textOf } from './request.mjs';

const QUERY = {
  sqs: 'http://queue.amazonaws.com/doc/2012-11-05/',
  sns: 'http://sns.amazonaws.com/doc/2010-03-31/',
  sts: 'https://sts.amazonaws.com/doc/2011-06-15/',
  ses: 'http://ses.amazonaws.com/doc/2010-12-01/',
};
const JSON_PREFIXES = {
  sqs: 'com.amazonaws.sqs#',
  dynamodb: 'com.amazonaws.dynamodb.v20120810#',
  secretsmanager: '',
};
const TARGETS = { AmazonSQS: 'sqs', DynamoDB_20120810: 'dynamodb', secretsmanager: 'secretsmanager' };
const ACTIONS = [
  [
    'sts',
    /^(?:AssumeRole.*|GetCallerIdentity|GetSessionToken|GetFederationToken|DecodeAuthorizationMessage|GetAccessKeyInfo)$/,
  ],
  ['ses', /Email|Identit/],
  ['sns', /Topic|Subscri|^Publish/],
];

/**
 * Which service a request is for, and how its answers are written: by its target, its path, who signed it, or its action.
 *
 * @param base - the path of all services together
 */
export function protocolOf(request, base) {
  const { headers, path } = request;
  const target = textOf(headers['x-amz-target']);
  const { service: signed, region } = signerOf(request);
  const below = path.slice(base.length);
  if (target !== undefined) {
    const [prefix, action] = target.split('.');
    const service = TARGETS[prefix] ?? signed ?? prefix;
    const version = service === 'secretsmanager' ? '1.1' : '1.0';
    return { service, protocol: 'json', version, prefix: JSON_PREFIXES[service] ?? '', action, region };
  }
  if (below.startsWith('/v2/email/')) return { service: 'sesv2', protocol: 'rest', region };
  if (below.startsWith('/2015-03-31/')) return { service: 'lambda', protocol: 'rest', region };
  const isForm = textOf(headers['content-type'])?.startsWith('application/x-www-form-urlencoded') === true;
  const action = textOf(isForm ? request.form?.Action : request.query.Action);
  if (action === undefined) return { service: 's3', protocol: 's3', region };
  const service = Object.hasOwn(QUERY, signed ?? '')
    ? signed
    : (ACTIONS.find(([, pattern]) => pattern.test(action))?.[0] ?? 'sqs');
  return { service, protocol: 'query', namespace: QUERY[service], action, region };
}
