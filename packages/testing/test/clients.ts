import { createTransport } from 'nodemailer';

/** Sends a mail as an application does. */
export async function sendMail(
  url: string,
  mail: { to: string; subject: string; text?: string },
): Promise<void> {
  const transport = createTransport(url);
  try {
    await transport.sendMail({ from: 'shop@example.com', text: 'Hello', ...mail });
  } finally {
    transport.close();
  }
}
