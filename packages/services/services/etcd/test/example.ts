import { useBacklot } from '@backlot/testing';
import { Etcd3 } from 'etcd3';

const backlot = useBacklot({ services: ['etcd'] });

function connect(): Etcd3 {
  return new Etcd3({ hosts: backlot.env.ETCDCTL_ENDPOINTS });
}

export { connect };
