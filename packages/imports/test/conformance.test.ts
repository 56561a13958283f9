import { amqp } from '@backlot/amqp';
import { importerCases } from '@backlot/conformance';
import { graphql } from '@backlot/graphql';
import { http } from '@backlot/http';
import { kafka } from '@backlot/kafka';
import { mqtt } from '@backlot/mqtt';
import { nats } from '@backlot/nats';
import { websocket } from '@backlot/websocket';
import { describe, it } from '@jest/globals';
import { importers, parseTree } from '../src/index.js';
import { EVENT, HANDLERS, INTERCEPTORS } from './support/events-and-handlers.js';
import { HAR } from './support/har.js';
import { packageFile } from './support/packages.js';
import { RECORDED } from './support/recorded.js';
import { folderSample, sample } from './support/samples.js';

describe('importers', () => {
  const samples = [
    sample('openapi', 'openapi/petstore.yaml'),
    sample('openapi', 'openapi/callback.yaml'),
    sample('openapi', 'openapi/api-with-examples.yaml'),
    sample('asyncapi', 'asyncapi/kraken-websocket.yaml'),
    sample('asyncapi', 'asyncapi/streetlights-kafka.yaml'),
    sample('asyncapi', 'asyncapi/streetlights-mqtt.yaml'),
    sample('asyncapi', 'asyncapi/rpc-server.yaml'),
    sample('asyncapi', 'asyncapi/adeo-kafka-request-reply.yaml'),
    sample('asyncapi', 'asyncapi/v2/streetlights-kafka.yaml'),
    sample('asyncapi', 'asyncapi/v2/rpc-server.yaml'),
    sample('asyncapi', 'asyncapi/v2/websocket-gemini.yaml'),
    sample('asyncapi', 'asyncapi/v2/application-headers.yaml'),
    sample('postman', 'postman/multiple-path-variables.json'),
    sample('wiremock', 'wiremock/several.json'),
    folderSample('wiremock', 'wiremock/folder'),
    sample('mockoon', 'mockoon/basic.json'),
    sample('mockoon', 'mockoon/crud.json'),
    sample('mockoon', 'mockoon/rules.json'),
    sample('mockoon', 'mockoon/databuckets.json'),
    sample('mountebank', 'mountebank/orders.json'),
    sample('mockserver', 'mockserver/initializer.json'),
    { format: 'nock', name: 'recorded.json', content: JSON.stringify(RECORDED) },
    { format: 'nock', name: 'README.md', content: packageFile('nock/README.md') },
    { format: 'nock', name: 'shop.test.js', content: INTERCEPTORS },
    { format: 'msw', name: 'README.md', content: packageFile('msw/README.md') },
    {
      format: 'msw',
      name: 'handleRequest.test.ts',
      content: packageFile('msw/src/core/utils/handleRequest.test.ts'),
    },
    { format: 'msw', name: 'handlers.js', content: HANDLERS },
    { format: 'cloudevents', name: 'event.json', content: JSON.stringify(EVENT) },
    {
      format: 'cloudevents',
      name: 'events.jsonl',
      content: `${JSON.stringify(EVENT)}\n${JSON.stringify(EVENT)}\n`,
    },
    { format: 'cloudevents', name: 'batch.json', content: JSON.stringify([EVENT, EVENT]) },
    {
      format: 'cloudevents',
      name: 'event.http',
      content: `POST /events HTTP/1.1\nce-specversion: 1.0\nce-type: a.b\nce-source: /x\nce-id: 1\nContent-Type: application/json\n\n{"a": "{{b}}"}`,
    },
    { format: 'har', name: 'shop.har', content: JSON.stringify(HAR) },
    { format: 'curl', name: 'requests.sh', content: CURL() },
    {
      format: 'backlot',
      name: 'backlot.yaml',
      content:
        'protocols:\n  http:\n    mocks:\n      - request: { path: /x }\n        response: { body: hello }\n',
    },
  ];
  for (const each of importerCases({
    importers,
    samples,
    protocols: [amqp, graphql, http, kafka, mqtt, nats, websocket],
    parse: parseTree,
  }))
    it(each.name, () => each.run(), 300_000);
});

function CURL(): string {
  return `curl -X POST 'https://api.example.com/v1/orders?draft=1' \\
  -H 'Content-Type: application/json' -H "X-Team: a b" \\
  --data-raw '{"items": [{"sku": "a*", "n": 2}]}'
# a form
curl -u ann:secret https://api.example.com/login -d user=ann -d 'role=admin'
curl -sS --compressed https://api.example.com/users/7 | jq .
`;
}
