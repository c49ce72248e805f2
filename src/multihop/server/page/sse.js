// Reads server-sent events from the body of a fetch, which unlike EventSource can POST and send a token.

/** Yield {event, data} for every event of a byte stream, however the bytes are cut. */
export async function* events(stream) {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let waiting = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const blocks = `${waiting}${value}`.replaceAll("\r\n", "\n").split("\n\n");
      // The last block may not be whole yet.
      waiting = blocks.pop();
      for (const block of blocks) {
        const event = parsedEvent(block);
        if (event.data !== "") yield event;
      }
    }
  } finally {
    // Whoever stops listening ends the request; that it has ended by itself is no error.
    reader.cancel().catch(() => undefined);
  }
}

/** Parse the lines of one event; comments (keep-alive lines) carry no data. */
export function parsedEvent(block) {
  const found = { event: "message", data: [] };
  for (const line of block.split("\n")) {
    const [, field, value] = /^([a-z]+):? ?(.*)$/s.exec(line) ?? [];
    if (field === "event") found.event = value;
    if (field === "data") found.data.push(value);
  }
  return { event: found.event, data: found.data.join("\n") };
}
