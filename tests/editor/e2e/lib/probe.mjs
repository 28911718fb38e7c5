// The test's end of the socket to the probe inside the editor.
import { EventEmitter, once } from "node:events";
import net from "node:net";

export class Probe extends EventEmitter {
  #socket;
  #next = 1;
  #waiting = new Map();
  events = [];

  static async connect(path) {
    const probe = new Probe();
    probe.setMaxListeners(100);
    probe.#socket = net.connect(path);
    await once(probe.#socket, "connect");
    let rest = "";
    probe.#socket.setEncoding("utf8");
    probe.#socket.on("data", (data) => {
      const lines = (rest + data).split("\n");
      rest = lines.pop();
      for (const line of lines) {
        probe.#receive(JSON.parse(line));
      }
    });
    return probe;
  }

  #receive(message) {
    if (message.event) {
      this.events.push(message);
      this.emit("event", message);
      return;
    }
    const { resolve, reject } = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    message.error ? reject(new Error(message.error)) : resolve(message.result);
  }

  call(name, ...args) {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#socket.write(`${JSON.stringify({ id, name, args })}\n`);
    });
  }

  /** A mark in the stream of events, to wait for what comes after it. */
  now() {
    return this.events.length;
  }

  /** The first event after a mark for which `fits` holds. */
  waitFor(what, fits, { since = 0, timeout = 30_000 } = {}) {
    const found = this.events.slice(since).find(fits);
    if (found) {
      return Promise.resolve(found);
    }
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.off("event", listener);
        const last = this.events.slice(-8).map((e) => JSON.stringify(e).slice(0, 200));
        reject(new Error(`waited ${timeout / 1000} s for ${what}; the last events were:\n  ${last.join("\n  ")}`));
      }, timeout);
      const listener = (event) => {
        if (fits(event)) {
          clearTimeout(timer);
          this.off("event", listener);
          resolve(event);
        }
      };
      this.on("event", listener);
    });
  }

  close() {
    this.#socket.destroy();
  }
}
