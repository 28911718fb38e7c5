import assert from "node:assert/strict";

export default function tell(story) {
  story("exit codes come from the shell", async ({ bench }) => {
    await bench.terminal();
    assert.equal((await bench.typeCommand("python3 exception.py")).exitCode, 1);
    assert.equal((await bench.typeCommand("python3 sigkill.py")).exitCode, 137);
    assert.equal((await bench.typeCommand("python3 launch.py")).exitCode, 1);
    await bench.shot("00-infra");
  });
}
