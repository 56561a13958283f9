import { runAtOnce } from '@backlot/core/plugin';
import { redactHeaders, redactJsonSteps } from '@backlot/kit/upstream';
import type { GraphqlMessage } from '../message.js';
import { redactDocument } from './redact-document.js';

/** The operation as the journal keeps it. */
export function withoutSecrets(message: GraphqlMessage): GraphqlMessage {
  const { query, rawHeaders, variables, connectionParams } = message.parts;
  return message.with({
    query: redactDocument(query),
    document: undefined,
    rawHeaders: redactHeaders(rawHeaders),
    variables: redactValue(variables),
    connectionParams: redactValue(connectionParams),
  });
}

function redactValue<T>(value: T | undefined): T | undefined {
  return value === undefined
    ? undefined
    : (JSON.parse(runAtOnce(redactJsonSteps(JSON.stringify(value)))) as T);
}
