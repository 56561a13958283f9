import { afterEach, describe, expect, it } from '@jest/globals';
import { post, startGraphql, stopAll } from './support/graphql-host.js';
import { SHOP } from './support/shop-schema.js';

afterEach(stopAll);

interface Failed {
  readonly errors: readonly { readonly message: string }[];
}

async function failures(url: string, query: string, variables?: object): Promise<string[]> {
  const { json } = await post(url, { query, variables });
  return (json as Failed).errors.map(({ message }) => message);
}

function deep(levels: number): string {
  return `{ me ${'{ friends '.repeat(levels)}{ id }${' }'.repeat(levels)} }`;
}

describe('bounds', () => {
  it('ends an answer that would be too large', async () => {
    const { url } = await startGraphql([], { sdl: SHOP });
    expect(await failures(url, deep(40))).toEqual(['the answer has more than 100000 fields; ask for less']);
  });

  it('bounds depth, aliases, fragments and operations', async () => {
    const { url } = await startGraphql([], { sdl: SHOP });
    const aliases = Array.from({ length: 1001 }, (_, n) => `a${n}: __typename`).join(' ');
    const fragments = Array.from({ length: 501 }, (_, n) => `fragment F${n} on Query { me { id } }`).join(
      ' ',
    );
    const operations = Array.from({ length: 101 }, (_, n) => `query Q${n} { me { id } }`).join(' ');
    const spread = Array.from(
      { length: 20 },
      (_, n) => `fragment F${n} on Person { friends { ...F${n + 1} friends { ...F${n + 1} } } }`,
    );
    for (const [query, message] of [
      [deep(110), 'the fields are nested deeper than 100 levels'],
      [`{ ${aliases} me { id } }`, 'the document has more than 1000 aliases'],
      [`{ me { id } } ${fragments}`, 'the document has more than 500 fragments'],
      [
        `${Array.from({ length: 90 }, (_, n) => `query ${n === 0 ? 'Last' : `Q${n}`} { ...F0 }`).join(' ')} ${Array.from({ length: 300 }, (_, n) => `fragment F${n} on Query { ...F${n + 1} }`).join(' ')} fragment F300 on Query { me { id } }`,
        /^the operations of the document use more than 20000 fields, spreads and variables together/,
      ],
      [`${operations} query Last { me { id } }`, 'the document has more than 100 operations'],
      [
        `{ me { ...F0 } } ${spread.join(' ')} fragment F20 on Person { id }`,
        /the operation selects more than 50000 fields through its fragments|the answer has more than/,
      ],
      [
        '{ me { ...A } } fragment A on Person { friends { ...A } }',
        'Cannot spread fragment "A" within itself.',
      ],
    ] as const) {
      const { json } = await post(url, { query, operationName: 'Last' });
      expect((json as unknown as Failed).errors[0]?.message).toEqual(expect.stringMatching(message));
    }
  });

  it('lists a bounded number of errors', async () => {
    const { url } = await startGraphql(
      [{ response: { products: [], me: { friends: Array.from({ length: 500 }, () => ({ name: null })) } } }],
      { sdl: SHOP.replace('friends: [Person!]!', 'friends: [Person]!') },
    );
    const messages = await failures(url, 'query Friends { me { friends { name } } }');
    expect(messages).toHaveLength(101);
    expect(messages[100]).toBe('further errors are left out: there are more than 100');
    const unknown = Array.from({ length: 500 }, (_, n) => `f${n}`).join(' ');
    expect(await failures(url, `{ ${unknown} }`)).toHaveLength(11);
    const [long = ''] = await failures(url, 'query A($id: Int!) { me { id } person(id: $id) { id } }', {
      id: 'x'.repeat(1_000_000),
    });
    expect(long.length).toBeLessThan(1100);
  });

  it('serves others while it makes a large answer', async () => {
    const { url } = await startGraphql([], { sdl: SHOP });
    const order: string[] = [];
    const large = post(url, { query: deep(14) }).then(() => order.push('large'));
    const small = post(url, { query: '{ me { id } }' }).then(() => order.push('small'));
    await Promise.all([large, small]);
    expect(order).toEqual(['small', 'large']);
  });

  it('tells large arguments apart by their beginning', async () => {
    const { url } = await startGraphql([], { sdl: SHOP });
    const fields = Array.from({ length: 200 }, (_, n) => `f${n}: search(filter: $f) { __typename }`).join(
      ' ',
    );
    const query = `query Many($f: Filter!) { ${fields} }`;
    const { json } = await post(url, { query, variables: { f: { text: 'x'.repeat(5_000_000) } } });
    expect(Object.keys(json.data as object)).toHaveLength(200);
  });
});
