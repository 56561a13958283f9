import { asyncapiContract, describeConformance } from '@backlot/conformance';
import { kafka } from '../src/index.js';
import { attemptLogin, connectProbe, sendLong } from './probe.js';

/** The probe knows its own answer by the key. */
const answer = (value: string) => ({ topic: 'answers', key: '{{request.key}}', value });

describeConformance(kafka, {
  mocks: {
    simple: { topic: 'inbox', value: 'simple', response: answer('one') },
    changed: { topic: 'inbox', value: 'simple', response: answer('two') },
    other: { topic: 'inbox', value: 'other', response: answer('three') },
    template: {
      topic: 'inbox',
      value: 'simple',
      response: answer('{{upper request.body}}'),
    },
    bad: [
      {},
      { topic: 'a b' },
      { topic: '..' },
      { topic: 're:(' },
      { topic: 'a', key: { no_such: 1 } },
      { topic: 'a', response: { value: 'no topic' } },
      { topic: 'a', response: { topic: 'not/a/topic', value: 'b' } },
      { topic: 'a', response: { topic: 'b', value: '{{#open}}' } },
      { topic: 'a', records: [{ partition: -1 }] },
      { topic: 'a', records: [{ partition: 1000 }] },
      { topic: 'a', records: [{ value: '***', value_encoding: 'base64' }] },
      { topic: 'a', records: [{ key_encoding: 'base64' }] },
      { topic: 'a', records: [{ value: { a: 1 } }] },
    ],
  },
  respond: ({ key }) => ({ topic: 'answers', key, value: 'one' }),
  answers: {
    simple: 'one',
    changed: 'two',
    other: 'three',
    template: 'SIMPLE',
    unmatched: 'stored',
    fault: 'LEADER_NOT_AVAILABLE',
  },
  logged: { method: 'PRODUCE', path: 'inbox' },
  captured: '"value":"simple"',
  login: {
    attempt: attemptLogin,
    refused: 'SASL_AUTHENTICATION_FAILED',
    custom: { fault: { error_code: 'ILLEGAL_SASL_STATE' }, refused: 'ILLEGAL_SASL_STATE' },
  },
  contract: {
    ...asyncapiContract({ inbox: { clients: ['simple'] }, answers: { mocks: ['one'] } }),
    refused: 'INVALID_RECORD',
    sendLong,
  },
  connect: connectProbe,
  namesSpaces: true,
});
