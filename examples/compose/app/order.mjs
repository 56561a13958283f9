import { once } from 'node:events';
import { connect } from 'node:net';

/**
 * Places an order: reserves the product in the warehouse, then has it paid.
 *
 * @param {{ product: string, amount: number }} order
 * @param {{ paymentsUrl: string, warehouse: string }} services
 * @returns {Promise<{ reservation: string, payment: string }>}
 */
export async function placeOrder({ product, amount }, { paymentsUrl, warehouse }) {
  const reservation = await reserve(product, warehouse);
  const answer = await fetch(`${paymentsUrl}/payments`, {
    method: 'POST',
    body: JSON.stringify({ amount, currency: 'EUR' }),
  });
  if (!answer.ok) throw new Error(`not paid: the bank answered ${answer.status}`);
  const { payment } = await answer.json();
  return { reservation, payment };
}

async function reserve(product, warehouse) {
  const [host, port] = warehouse.split(':');
  const socket = connect(Number(port), host);
  try {
    socket.write(`RESERVE ${product}\n`);
    const [line] = await once(socket, 'data');
    return line.toString().trim().replace('OK ', '');
  } finally {
    socket.destroy();
  }
}
