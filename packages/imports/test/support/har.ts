/** A recording as browsers write them. */
export const HAR = {
  log: {
    version: '1.2',
    creator: { name: 'WebInspector', version: '537.36' },
    entries: [
      entry('GET', 'https://shop.example.com/api/items?page=1', { items: [1, 2] }),
      entry('GET', 'https://shop.example.com/api/items', { items: [] }),
      entry('GET', 'https://shop.example.com/api/status', { state: 'starting' }),
      entry('GET', 'https://shop.example.com/api/status', { state: '{{up}}' }),
      {
        ...entry('POST', 'https://shop.example.com/api/items', { id: 3 }, 201),
        request: {
          method: 'POST',
          url: 'https://shop.example.com/api/items',
          headers: [],
          queryString: [],
          postData: { mimeType: 'application/json', text: '{"name":"mug"}' },
        },
      },
      {
        request: { method: 'GET', url: 'https://shop.example.com/pixel.gif', headers: [], queryString: [] },
        response: {
          status: 200,
          headers: [{ name: 'content-type', value: 'image/gif' }],
          content: { mimeType: 'image/gif', text: 'R0lGODlhAQABAAAAACw=', encoding: 'base64', size: 14 },
        },
      },
      { request: { method: 'GET', url: 'https://shop.example.com/gone' }, response: { status: 0 } },
      { request: { method: 'GET', url: 'data:text/plain,x' }, response: { status: 200 } },
    ],
  },
};

function entry(method: string, url: string, body: unknown, status = 200): object {
  return {
    startedDateTime: '2024-01-01T00:00:00.000Z',
    request: { method, url, headers: [], queryString: [] },
    response: {
      status,
      headers: [
        { name: 'content-type', value: 'application/json' },
        { name: 'content-encoding', value: 'br' },
        { name: 'set-cookie', value: 'a=1' },
        { name: 'set-cookie', value: 'b=2' },
      ],
      content: { mimeType: 'application/json', text: JSON.stringify(body), size: 10 },
    },
  };
}
