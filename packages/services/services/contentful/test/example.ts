import { useBacklot } from '@backlot/testing';
import { createClient, type ContentfulClientApi } from 'contentful';

const backlot = useBacklot({ services: ['contentful'] });

function connect(): ContentfulClientApi<undefined> {
  const { CONTENTFUL_URL, CONTENTFUL_SPACE_ID: space, CONTENTFUL_ACCESS_TOKEN: accessToken } = backlot.env;
  const { host, pathname } = new URL(CONTENTFUL_URL);
  return createClient({ space, accessToken, host, basePath: `${pathname}/delivery`, insecure: true });
}

export { connect };
