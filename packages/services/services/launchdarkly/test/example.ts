import { init, type LDClient } from '@launchdarkly/node-server-sdk';
import { useBacklot } from '@backlot/testing';

const backlot = useBacklot({ services: ['launchdarkly'] });

function connect(): LDClient {
  const { LAUNCHDARKLY_URL: url, LAUNCHDARKLY_SDK_KEY: key } = backlot.env;
  return init(key, { baseUri: url, streamUri: url, eventsUri: url });
}

export { connect };
