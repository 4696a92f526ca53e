"""What processes have written: a profile each, or a place in a file that short ones share (doc/format.md)."""
import struct

PROCESSES = 22              # kind of the chunk of places
PID = 40                    # of a header: of the process


def images(path):
    """The bytes of the file, or of each place in use of one that processes share."""
    with open(path, "rb") as file:
        def image(at):
            file.seek(at)
            data = file.read(4096)
            if len(data) < 4096:
                return data
            used = struct.unpack_from("<Q", data, 16)[0]
            return data + file.read(used - 4096)        # a file not ended well is sparse, and large
        file.seek(4096)
        head = file.read(64)
        if len(head) < 64 or struct.unpack_from("<I", head, 4)[0] != PROCESSES:
            return [image(0)]
        count, capacity, first, _, size = struct.unpack_from("<IIIII", head, 20)
        places = [4096 + first + i * size for i in range(min(count, capacity))]
        found = []
        for at in places:
            file.seek(at)
            if file.read(8) == b"amon.out":
                found.append(image(at))
        return found


def pid(image):
    return struct.unpack_from("<i", image, PID)[0]
