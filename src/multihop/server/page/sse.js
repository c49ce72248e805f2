// Parses server-sent events from a fetch body, because EventSource can neither POST nor send a token.

/** Yield {event, data} for every event of a byte stream, regardless of chunk boundaries. */
export async function* events(stream) {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let waiting = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const blocks = `${waiting}${value}`.replaceAll("\r\n", "\n").split("\n\n");
      // The last block may be incomplete.
      waiting = blocks.pop();
      for (const block of blocks) {
        const event = parseEvent(block);
        if (event.data !== "") yield event;
      }
    }
  } finally {
    // Leaving the loop cancels the request; a request that has already ended is not an error.
    reader.cancel().catch(() => undefined);
  }
}

/** Parse the lines of one event; comments (keep-alive lines) carry no data. */
export function parseEvent(block) {
  const found = { event: "message", data: [] };
  for (const line of block.split("\n")) {
    const [, field, value] = /^([a-z]+):? ?(.*)$/s.exec(line) ?? [];
    if (field === "event") found.event = value;
    if (field === "data") found.data.push(value);
  }
  return { event: found.event, data: found.data.join("\n") };
}
