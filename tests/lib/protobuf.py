"""Messages of protobuf's, read without knowing what they are of: for tests that look at pprof."""


def varint(data, at):
    """(the number at AT, where it ends)."""
    number = shift = 0
    while True:
        byte, at = data[at], at + 1
        number, shift = number | (byte & 127) << shift, shift + 7
        if byte < 128:
            return number, at


def fields(data):
    """(number, value) of each field of a message; the value is a number or bytes."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        value, at = varint(data, at)
        if tag & 7 == 2:
            value, at = data[at:at + value], at + value
        yield tag >> 3, value


def packed(value):
    """The numbers of a repeated field."""
    at, numbers = 0, []
    while at < len(value):
        number, at = varint(value, at)
        numbers.append(number)
    return numbers
