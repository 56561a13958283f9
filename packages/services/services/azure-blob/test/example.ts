import { BlobServiceClient } from '@azure/storage-blob';
import { useBacklot } from '@backlot/testing';

const backlot = useBacklot({ services: ['azure-blob'] });

function connect(): BlobServiceClient {
  return BlobServiceClient.fromConnectionString(backlot.env.AZURE_STORAGE_CONNECTION_STRING);
}

export { connect };
