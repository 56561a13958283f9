import { useBacklot } from '@backlot/testing';
import { type Algoliasearch, algoliasearch } from 'algoliasearch';

const backlot = useBacklot({ services: ['algolia'] });

function connect(): Algoliasearch {
  const url = backlot.env.ALGOLIA_URL.replace('http://', '');
  return algoliasearch(backlot.env.ALGOLIA_APP_ID, backlot.env.ALGOLIA_API_KEY, {
    hosts: [{ url, accept: 'readWrite', protocol: 'http' }],
  });
}

export { connect };
