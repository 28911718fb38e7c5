/** Runs a task at most once at a time; calls that come meanwhile lead to one more run, after this one. */
export class Queued {
  private running: Promise<void> | undefined;
  private again: Promise<void> | undefined;

  constructor(private readonly task: () => Promise<void>) {}

  run(): Promise<void> {
    if (!this.running) {
      this.running = this.task().finally(() => {
        this.running = undefined;
      });
      return this.running;
    }
    this.again ??= this.running
      .catch(() => undefined)
      .then(() => {
        this.again = undefined;
        return this.run();
      });
    return this.again;
  }
}
