!> Files of a run: ParaView frames (.vtp, raw binary) with their index (.pvd), and a table (.csv).
module output_m
    use, intrinsic :: iso_c_binding, only: c_char, c_int, c_null_char
    use, intrinsic :: iso_fortran_env, only: int32, sp => real32, error_unit
    use settings_m, only: dp, settings
    use particles_m, only: particles, fluid_kind, wall_kind
    use sph_m, only: rows
    use monitor_m, only: state
    implicit none (type, external)
    private

    public :: output

    !> The folder of the files, and what has been written so far.
    type :: output
        character(len=:), allocatable :: folder
        integer :: csv = 0              !! unit of the table
        integer :: frames = 0
        real(dp), allocatable :: times(:)
    contains
        procedure :: open => open_output
        procedure :: write_row
        procedure :: write_frame
        procedure :: close => close_output
    end type output

    interface
        integer(c_int) function c_mkdir(path, mode) bind(c, name='mkdir')
            import :: c_char, c_int
            implicit none (type, external)
            character(kind=c_char), intent(in) :: path(*)
            integer(c_int), value :: mode
        end function c_mkdir
    end interface

contains

    !> Make the folder and start the table.
    subroutine open_output(self, s)
        class(output), intent(inout) :: self
        type(settings), intent(in) :: s

        integer :: status
        character(len=400) :: message

        self%folder = trim(s%output_dir)
        call make_folder(self%folder)
        allocate (self%times(0))
        open (newunit=self%csv, file=self%folder//'/front.csv', status='replace', &
            action='write', iostat=status, iomsg=message)
        if (status /= 0) then
            write (error_unit, '(4a)') 'dam_break: cannot write to ', self%folder, ': ', &
                trim(message)
            stop 2, quiet=.true.
        end if
        write (self%csv, '(a)') 't,T,front,Z,kinetic,potential,internal,total,total_over_initial'
    end subroutine open_output

    !> One row of the table.
    subroutine write_row(self, s, now, first)
        class(output), intent(in) :: self
        type(settings), intent(in) :: s
        type(state), intent(in) :: now, first

        write (self%csv, '(*(g0.15, :, ","))') now%time, now%time*s%time_scale, now%front, &
            now%front/s%width, now%kinetic, now%potential, now%internal, now%total, &
            now%total/first%total
        flush (self%csv)
    end subroutine write_row

    !> All particles at one moment, and the index that lists this and all earlier frames.
    subroutine write_frame(self, q, r, time)
        class(output), intent(inout) :: self
        type(particles), intent(in) :: q
        type(rows), intent(in) :: r
        real(dp), intent(in) :: time

        character(len=:), allocatable :: name
        integer :: unit, k

        name = frame_name(self%frames)
        call write_vtp(self%folder//'/'//name, q, r)
        self%times = [self%times, time]
        self%frames = self%frames + 1
        open (newunit=unit, file=self%folder//'/dam_break.pvd', status='replace', action='write')
        write (unit, '(a)') '<?xml version="1.0"?>', &
            '<VTKFile type="Collection" version="0.1">', '<Collection>'
        do k = 1, self%frames
            write (unit, '(a, g0.9, 3a)') '<DataSet timestep="', self%times(k), &
                '" part="0" file="', frame_name(k - 1), '"/>'
        end do
        write (unit, '(a)') '</Collection>', '</VTKFile>'
        close (unit)
    end subroutine write_frame

    subroutine close_output(self)
        class(output), intent(inout) :: self

        close (self%csv)
    end subroutine close_output

    !> frame_0007.vtp
    pure function frame_name(k) result(name)
        integer, intent(in) :: k
        character(len=14) :: name

        write (name, '(a, i4.4, a)') 'frame_', k, '.vtp'
    end function frame_name

    !> XML PolyData with one raw appended block: every array is an int32 byte count, then its bytes.
    subroutine write_vtp(path, q, r)
        character(len=*), intent(in) :: path
        type(particles), intent(in) :: q
        type(rows), intent(in) :: r

        character(len=*), parameter :: eol = new_line('a')
        integer :: unit, i
        integer(int32) :: at

        at = 0
        open (newunit=unit, file=path, status='replace', action='write', access='stream', &
            form='unformatted')
        write (unit) '<?xml version="1.0"?>'//eol//'<VTKFile type="PolyData" version="1.0" '// &
            'byte_order="'//byte_order()//'" header_type="UInt32">'//eol//'<PolyData>'//eol// &
            '<Piece NumberOfPoints="'//text(q%n)//'" NumberOfVerts="'//text(q%n)//'" '// &
            'NumberOfLines="0" NumberOfStrips="0" NumberOfPolys="0">'//eol
        write (unit) '<Points>'//eol//declare('Float32', 'position', 3)//'</Points>'//eol// &
            '<PointData Scalars="pressure" Vectors="velocity">'//eol// &
            declare('Float32', 'velocity', 3)//declare('Float32', 'pressure', 1)// &
            declare('Float32', 'density', 1)//declare('Int32', 'kind', 1)// &
            declare('Int32', 'neighbors', 1)//'</PointData>'//eol
        write (unit) '<Verts>'//eol//declare('Int32', 'connectivity', 1)// &
            declare('Int32', 'offsets', 1)//'</Verts>'//eol//'</Piece>'//eol//'</PolyData>'//eol// &
            '<AppendedData encoding="raw">'//eol//'_'
        write (unit) bytes(3), (real([q%x(i), q%y(i), q%z(i)], sp), i=1, q%n)
        write (unit) bytes(3), (real([q%vx(i), q%vy(i), q%vz(i)], sp), i=1, q%n)
        write (unit) bytes(1), real(q%p, sp)
        write (unit) bytes(1), real(q%rho, sp)
        write (unit) bytes(1), (merge(fluid_kind, wall_kind, i <= q%n_fluid), i=1, q%n)
        write (unit) bytes(1), (int(r%offsets(i + 1) - r%offsets(i), int32), i=1, q%n)
        write (unit) bytes(1), (i - 1, i=1, q%n)
        write (unit) bytes(1), (i, i=1, q%n)
        write (unit) eol//'</AppendedData>'//eol//'</VTKFile>'//eol
        close (unit)

    contains

        !> Element of an array that begins at `at`, which moves on to the next one.
        function declare(number, name, components) result(element)
            character(len=*), intent(in) :: number, name
            integer, intent(in) :: components
            character(len=:), allocatable :: element

            element = '<DataArray type="'//number//'" Name="'//name//'" NumberOfComponents="'// &
                text(components)//'" format="appended" offset="'//text(int(at))//'"/>'//eol
            at = at + 4 + bytes(components)
        end function declare

        pure integer(int32) function bytes(components)
            integer, intent(in) :: components

            bytes = 4*components*q%n
        end function bytes

    end subroutine write_vtp

    pure function text(n)
        integer, intent(in) :: n
        character(len=:), allocatable :: text

        character(len=12) :: buffer

        write (buffer, '(i0)') n
        text = trim(buffer)
    end function text

    pure function byte_order()
        character(len=:), allocatable :: byte_order

        byte_order = merge('LittleEndian', 'BigEndian   ', &
            iachar(transfer(1_int32, 'a')) == 1)
        byte_order = trim(byte_order)
    end function byte_order

    !> Make a folder and those above it. Folders that exist already are fine; what else goes wrong
    !> shows when the first file is opened.
    subroutine make_folder(path)
        character(len=*), intent(in) :: path

        integer, parameter :: all_may = int(o'777', c_int)
        integer :: k
        integer(c_int) :: ignored

        do k = 2, len(path)
            if (path(k:k) == '/') ignored = c_mkdir(path(:k - 1)//c_null_char, all_may)
        end do
        ignored = c_mkdir(path//c_null_char, all_may)
    end subroutine make_folder

end module output_m
