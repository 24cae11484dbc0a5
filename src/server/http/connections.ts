/**
 * Limits the connections of each client address. At the limit, a new connection closes the oldest idle
 * one of the same address, so that a program that only opens connections does not block others.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export function limitConnections(server: Server, maxPerAddress: number): void {
  /** Open connections by address, the oldest first. */
  const byAddress = new Map<string, Set<Socket>>();
  /** Number of unanswered requests of each connection. */
  const busy = new WeakMap<Socket, number>();
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    const sockets = byAddress.get(address) ?? new Set();
    byAddress.set(address, sockets);
    if (sockets.size >= maxPerAddress) {
      const idle = [...sockets].find((each) => !busy.get(each));
      if (idle === undefined) return void socket.destroy();
      sockets.delete(idle);
      idle.destroy();
    }
    sockets.add(socket);
    socket.once('close', () => {
      sockets.delete(socket);
      if (sockets.size === 0 && byAddress.get(address) === sockets) byAddress.delete(address);
    });
  });
  server.on('request', ({ socket }: IncomingMessage, res: ServerResponse) => {
    busy.set(socket, (busy.get(socket) ?? 0) + 1);
    res.once('close', () => busy.set(socket, (busy.get(socket) ?? 1) - 1));
  });
}
