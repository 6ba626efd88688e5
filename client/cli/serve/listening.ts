import { connect } from 'node:net';
import { portOf } from './address.ts';

/** Whether anything takes connections at an address of this machine, be it a service or not. */
export async function isAnybodyThere(url: string): Promise<boolean> {
  const socket = connect(portOf(url), '127.0.0.1');
  try {
    return await new Promise((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    });
  } finally {
    socket.destroy();
  }
}
