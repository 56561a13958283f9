import type { CompileTools, Pointer } from '@backlot/core/plugin';
import { apiKeyAuth } from './api-key.js';
import { basicAuth, onePerson, personOf } from './basic.js';
import { bearerAuth, type TokenTest } from './bearer.js';
import { jwtTest } from './jwt.js';
import { DEFAULT_ALGORITHMS } from './digest/algorithms.js';
import { digestAuth } from './digest/digest.js';
import { ntlmAuth } from './ntlm/ntlm.js';
import type { AuthDefinition } from './schema.js';
import type { CompiledAuth } from './types.js';
import { readUsers, type Users } from './users.js';

type Field = Exclude<keyof AuthDefinition, 'type'>;

const FIELDS: Readonly<Record<AuthDefinition['type'], readonly Field[]>> = {
  bearer: ['token', 'jwt', 'challenge', 'realm'],
  basic: ['username', 'password', 'users', 'challenge', 'realm'],
  api_key: ['header', 'query', 'value'],
  digest: ['username', 'password', 'challenge', 'realm', 'algorithm', 'qop'],
  ntlm: ['username', 'password', 'users', 'challenge', 'realm'],
};

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/**
 * Compiles the `auth` field of a mock. What does not fit is noted as a problem: fields of another type, and for
 * digest and ntlm credentials that are not plain text, since their proofs are computed from them.
 *
 * @param at - where the field stands in the mock, such as `/request/auth`
 */
export function compileAuth(definition: AuthDefinition, tools: CompileTools, at: Pointer): CompiledAuth {
  refuseForeignFields(definition, tools, at);
  const realm = realmOf(definition, tools, at);
  const users = usersOf(definition, tools, at);
  switch (definition.type) {
    case 'bearer':
      return bearerAuth(
        compileToken(definition, tools, at),
        definition.challenge === true ? realm : undefined,
      );
    case 'basic':
      return basicAuth(
        users === undefined
          ? onePerson(
              tools.pattern(definition.username, `${at}/username`),
              tools.pattern(definition.password, `${at}/password`),
            )
          : personOf(users),
        definition.challenge === true ? realm : undefined,
      );
    case 'api_key':
      return apiKeyAuth(
        { header: headerOf(definition, tools, at), query: definition.query },
        tools.pattern(definition.value, `${at}/value`),
      );
    case 'digest':
      return digestAuth({
        username: required('username', definition, tools, at),
        password: required('password', definition, tools, at),
        realm,
        algorithms: definition.algorithm === undefined ? DEFAULT_ALGORITHMS : [definition.algorithm],
        qop: definition.qop ?? 'auth',
      });
    case 'ntlm':
      return ntlmAuth({
        username: plainText('username', definition, tools, at),
        password: plainText('password', definition, tools, at),
        users,
        target: definition.realm === undefined ? 'BACKLOT' : realm,
      });
  }
}

function usersOf(definition: AuthDefinition, tools: CompileTools, at: Pointer): Users | undefined {
  const { users, username, password } = definition;
  if (users === undefined) return undefined;
  if (username !== undefined || password !== undefined)
    tools.problem(
      `${at}/users`,
      'stands in place of username and password; leave them out, or leave users out',
    );
  return readUsers(tools.rows(users));
}

function compileToken(definition: AuthDefinition, tools: CompileTools, at: Pointer): TokenTest {
  const token = tools.pattern(definition.token, `${at}/token`);
  const { jwt } = definition;
  const verified = jwt === undefined ? undefined : jwtTest(jwt, tools, `${at}/jwt`);
  return (text, message) =>
    token.test(text, message) ? verified?.(text, message) : 'bearer token is not the one this mock wants';
}

function refuseForeignFields(definition: AuthDefinition, tools: CompileTools, at: Pointer): void {
  const { type } = definition;
  for (const name of Object.keys(definition)) {
    if (name !== 'type' && !(FIELDS[type] as readonly string[]).includes(name)) {
      tools.problem(
        `${at}/${name}`,
        `${name} has no meaning for auth type ${type}; it takes ${FIELDS[type].join(', ')}`,
      );
    }
  }
  if (definition.challenge === false && (type === 'digest' || type === 'ntlm')) {
    tools.problem(
      `${at}/challenge`,
      `challenge is false, but ${type} cannot work without a challenge; leave it out, or use type basic`,
    );
  }
}

function realmOf(definition: AuthDefinition, tools: CompileTools, at: Pointer): string {
  const realm = definition.realm ?? 'backlot';
  // Clients disagree about escapes in quoted strings, and the realm goes into digest's hashes.
  if (/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/.test(realm)) {
    return realm;
  }
  tools.problem(
    `${at}/realm`,
    `realm ${JSON.stringify(realm)} cannot stand in a challenge; use printable ASCII without quotes and backslashes`,
  );
  return 'backlot';
}

function headerOf(definition: AuthDefinition, tools: CompileTools, at: Pointer): string | undefined {
  const { header, query } = definition;
  if (header === undefined) {
    return query === undefined ? 'x-api-key' : undefined;
  }
  if (!TOKEN.test(header)) {
    tools.problem(
      `${at}/header`,
      `${JSON.stringify(header)} is not a header name; use one such as X-API-Key`,
    );
  }
  return header.toLowerCase();
}

/** The one text that a credential stands for; undefined when it is absent. */
function plainText(
  name: 'username' | 'password',
  definition: AuthDefinition,
  tools: CompileTools,
  at: Pointer,
): string | undefined {
  const source = definition[name];
  if (source === undefined || source === '') {
    return undefined;
  }
  const pattern = tools.pattern(source, `${at}/${name}`);
  // A pattern that matches anything here is the stand-in for one that did not compile: that problem is noted.
  if (pattern.exact === undefined && !pattern.any) {
    tools.problem(
      `${at}/${name}`,
      `${name} is the pattern ${pattern.describe()}, but ${definition.type} computes with it; give plain text, or ` +
        '{"equals": "..."} for a text that looks like a pattern',
    );
  }
  return pattern.exact ?? '';
}

function required(
  name: 'username' | 'password',
  definition: AuthDefinition,
  tools: CompileTools,
  at: Pointer,
): string {
  const text = plainText(name, definition, tools, at);
  if (text === undefined) {
    const hint = name === 'password' ? '; an empty one is {"equals": ""}' : '';
    tools.problem(`${at}/${name}`, `${name} is missing; digest needs it as plain text${hint}`);
  }
  return text ?? '';
}
