import { Client } from '@elastic/elasticsearch';
import { useBacklot } from '@backlot/testing';

const backlot = useBacklot({ services: ['elasticsearch'] });

function connect(): Client {
  const { ELASTICSEARCH_URL: node, ELASTICSEARCH_API_KEY: apiKey } = backlot.env;
  return new Client({ node, auth: { apiKey } });
}

export { connect };
