const { floatableVessels } = require("../built/tides");

test("nothing floats on no water", () => {
  expect(floatableVessels([{ vesselName: "a", draughtInMillimetres: 1 }], 0)).toEqual([]);
});
