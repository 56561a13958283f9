import { describe, expect, it } from '@jest/globals';
import { findMisnamed } from '../checks/file-roles.mjs';
import { withTree } from './tree.mjs';

/** @param {string} file @param {string} text */
const check = (file, text) => withTree({ [`packages/protocols/redis/src/${file}`]: text }, findMisnamed);

const MESSAGE = `import type { Message } from '@backlot/core/plugin';\nexport class RedisMessage implements Message {\n}\n`;
const INDEX = `export class KeyIndex extends ComposedIndex<RedisMessage, Map<string, Compiled>> {\n}\n`;
const OWN_INDEX = `export class KeyIndex\n  extends Base<A>\n  implements Other, MockIndex<RedisMessage, Compiled>\n{\n}\n`;
const CONNECTION = `export class RedisConnection {\n}\n`;
const SESSION = `abstract class Session<A> implements Watcher {\n}\n`;

describe('the check of roles', () => {
  it.each([
    ['message.ts', MESSAGE, 'RedisMessage is what arrives, as core sees it'],
    ['mock-index.ts', INDEX, 'KeyIndex is the index that finds mocks'],
    ['mock-index.ts', OWN_INDEX, 'KeyIndex is the index that finds mocks'],
    ['connection.ts', CONNECTION, 'RedisConnection is a connection'],
    ['session.ts', SESSION, 'Session is a session'],
    ['session.ts', SESSION.replace('Session', 'MailSession'), 'MailSession is a session'],
  ])('wants the class of %s in a file of that name', async (file, text, says) => {
    expect(await check(file, text)).toEqual([]);
    expect(await check(`wire/${file}`, text)).toEqual([]);
    expect(await check('wire/other.ts', text)).toEqual([
      `packages/protocols/redis/src/wire/other.ts: class ${says}; rename the file to ${file}`,
    ]);
  });

  it.each(['Conversation', 'Client', 'Door', 'Gate', 'Hub'])('wants no class called %s', async (name) => {
    expect(await check('connection.ts', `export class ${name} {\n}\n`)).toEqual([
      `packages/protocols/redis/src/connection.ts: class ${name} says nothing of its role; ` +
        'rename it to RedisConnection in connection.ts if it is one connection, to RedisSession in session.ts ' +
        'if it is what a connection is in, else to what it does',
    ]);
  });

  it.each([
    ['a message that is not of core', MESSAGE.replace('@backlot/core/plugin', './wire.js')],
    ['a class that uses messages', `${MESSAGE.split('\n')[0]}\nclass Store implements Keep<Message> {\n}\n`],
    ['a class with a longer name', `class LibraryClient {\n}\nclass ClientTable {\n}\nclass Sessions {\n}\n`],
    ['an interface', `export interface Session {\n}\n`],
    ['words of a comment', `/**\n * class Client {\n */\n// class Hub {\n`],
  ])('has nothing against %s', async (_, text) => {
    expect(await check('other.ts', text)).toEqual([]);
  });

  it('looks at protocols alone, and at their sources', async () => {
    const files = {
      'packages/kit/src/other.ts': CONNECTION,
      'packages/protocols/redis/test/other.ts': CONNECTION,
    };
    expect(await withTree(files, findMisnamed)).toEqual([]);
  });
});
