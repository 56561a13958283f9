const API = '$JS.API.';
/** Asks for messages, whose answers are messages: it gets "no responders", as any subject that nobody serves. */
const NEXT_MESSAGE = '$JS.API.CONSUMER.MSG.NEXT.';
const TYPE = 'io.nats.jetstream.api.v1';

/** The error of a server whose account has no JetStream. */
const ERROR = { code: 503, err_code: 10039, description: 'JetStream not enabled for account' };

/**
 * The answer to a request of the JetStream interface (NATS documentation, "JetStream wire API Reference"), or
 * `undefined` when the subject is none.
 */
export function answerJetStream(subject: string): string | undefined {
  if (!subject.startsWith(API) || subject.startsWith(NEXT_MESSAGE)) return undefined;
  return JSON.stringify({ type: `${TYPE}.${typeOf(subject)}_response`, error: ERROR });
}

function typeOf(subject: string): string {
  const [noun = '', first = '', second = ''] = subject.slice(API.length).split('.');
  if (noun !== 'STREAM' && noun !== 'CONSUMER') return 'account_info';
  const verb = first === 'DURABLE' || first === 'MSG' ? second : first;
  const middle = first === 'MSG' ? '_msg' : '';
  return `${noun.toLowerCase()}${middle}_${verb === '' ? 'info' : verb.toLowerCase()}`;
}
