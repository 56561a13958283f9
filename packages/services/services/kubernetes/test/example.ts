import { CoreV1Api, KubeConfig } from '@kubernetes/client-node';
import { useBacklot } from '@backlot/testing';

const backlot = useBacklot({ services: ['kubernetes'] });

function connect(): CoreV1Api {
  const config = new KubeConfig();
  const server = backlot.env.KUBERNETES_URL;
  config.loadFromClusterAndUser(
    { name: 'backlot', server, skipTLSVerify: true },
    { name: 'me', token: 'backlot' },
  );
  return config.makeApiClient(CoreV1Api);
}

export { connect };
