import { PubSub } from '@google-cloud/pubsub';
import { Storage } from '@google-cloud/storage';
import { useBacklot } from '@backlot/testing';

const backlot = useBacklot({ services: ['google'] });

function connect(): { pubsub: PubSub; storage: Storage } {
  const { GOOGLE_CLOUD_PROJECT: projectId, PUBSUB_EMULATOR_HOST, STORAGE_EMULATOR_HOST } = backlot.env;
  return {
    pubsub: new PubSub({ projectId, apiEndpoint: PUBSUB_EMULATOR_HOST, emulatorMode: true }),
    storage: new Storage({ projectId, apiEndpoint: STORAGE_EMULATOR_HOST }),
  };
}

export { connect };
